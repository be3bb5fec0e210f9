#!/usr/bin/env node
// Looks into the packed extension, and speaks to the language server by the protocol library that lies in it. Needs unzip.
//
//   tests/packages/check_vscode.js build/vscode/tensorlane.vsix build/release/tools/tensorlane/tensorlane
'use strict';

const assert = require('assert');
const {execFileSync, spawn} = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [vsix, program] = process.argv.slice(2).map((each) => path.resolve(each));
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'tensorlane-vscode-'));

async function main() {
  execFileSync('unzip', ['-q', vsix, '-d', folder]);
  const extension = path.join(folder, 'extension');
  const manifest = JSON.parse(fs.readFileSync(path.join(extension, 'package.json'), 'utf8'));
  for (const file of [manifest.main, 'README.md', 'LICENSE.txt', 'package.nls.json', 'package.nls.zh-cn.json'])
    assert(fs.existsSync(path.join(extension, file)), `the extension lacks ${file}`);
  for (const name of Object.keys(manifest.dependencies)) require.resolve(name, {paths: [extension]});

  // What stands for VS Code: the extension is loaded, registers its commands when it is activated, and starts its server.
  const registered = [], sent = [];
  const disposable = {dispose() {}};
  const vscode = {
    workspace: {
      isTrusted: true,
      getConfiguration: () => ({get: (name) => (name === 'path' ? program : undefined)}),
      onDidChangeConfiguration: () => disposable, onDidGrantWorkspaceTrust: () => disposable,
    },
    commands: {registerCommand: (name) => (registered.push(name), disposable)},
  };
  const Module = require('module');
  const load = Module._load;
  let started;
  Module._load = (name, ...rest) => name === 'vscode' ? vscode : name === 'vscode-languageclient/node'
    ? {LanguageClient: class { constructor(...args) { started = args; } start() {} stop() {} sendNotification(...args) { sent.push(args); } }}
    : load(name, ...rest);
  const main = require(path.join(extension, manifest.main));
  await main.activate({subscriptions: []});
  Module._load = load;
  assert.deepStrictEqual(registered.sort(), manifest.contributes.commands.map((each) => each.command).sort());

  const rpc = require(require.resolve('vscode-jsonrpc/node', {paths: [extension]}));
  const server = spawn(started[2].command, started[2].args);
  const connection = rpc.createMessageConnection(new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));
  const shown = [];
  connection.onNotification('textDocument/publishDiagnostics', (params) => shown.push(params));
  connection.listen();
  const {capabilities} = await connection.sendRequest('initialize', {processId: process.pid, rootUri: null, capabilities: {}, locale: 'zh-cn',
    initializationOptions: JSON.parse(JSON.stringify(started[3].initializationOptions))});
  assert(capabilities.hoverProvider);
  await connection.sendNotification('initialized', {});
  const uri = 'file:///tmp/芯.c';
  const text = '#include "okk.h"\nvoid f(void) {\n  okk_bdc_neg(2, 0, &(dim4){1, 2, 3, 4}, 0, 0);\n}\n';
  await connection.sendNotification('textDocument/didOpen', {textDocument: {uri, languageId: 'c', version: 1, text}});
  const hover = await connection.sendRequest('textDocument/hover', {textDocument: {uri}, position: {line: 2, character: 5}});
  assert(hover.contents.value.includes('dst_addr % 4 == 0'), hover.contents.value);
  assert.strictEqual(shown[0].diagnostics[0].code, 'TL-ARGS-001');
  assert.strictEqual(shown[0].uri, uri);
  await connection.sendRequest('shutdown');
  await connection.sendNotification('exit');
  const status = await new Promise((resolve) => server.on('exit', resolve));
  assert.strictEqual(status, 0);
  console.log(`${path.basename(vsix)}: ${fs.statSync(vsix).size} bytes; loaded, its server asked in Chinese`);
  connection.dispose();
}

main().catch((error) => { console.error(error); process.exitCode = 1; }).finally(() => fs.rmSync(folder, {recursive: true, force: true}));
