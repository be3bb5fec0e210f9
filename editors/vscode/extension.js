// The client of `tensorlane lsp`. Everything that is said comes from the server; here are the places where VS Code shows it.
'use strict';

const vscode = require('vscode');
const {LanguageClient} = require('vscode-languageclient/node');

const SETTINGS = ['chip', 'language', 'build', 'program', 'runOnSave', 'findings', 'log', 'expect', 'pictures'];

let client;

// Without those that VS Code does not let a folder decide that nobody trusts.
function settings() {
  const all = vscode.workspace.getConfiguration('tensorlane');
  const chosen = Object.fromEntries(SETTINGS.map((name) => [name, all.get(name)]));
  if (!vscode.workspace.isTrusted) Object.assign(chosen, {build: [], program: [], runOnSave: false});
  return chosen;
}

function execute(command, ...args) {
  return client.sendRequest('workspace/executeCommand', {command, arguments: args});
}

async function show(text, language) {
  const document = await vscode.workspace.openTextDocument({content: text, language});
  return vscode.window.showTextDocument(document, vscode.ViewColumn.Beside, true);
}

// A page of its own without scripts: the pictures are whole documents of SVG.
function showPictures(answer) {
  const panel = vscode.window.createWebviewPanel('tensorlane.layout', answer.function, vscode.ViewColumn.Beside, {enableScripts: false});
  const escape = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
  const figures = answer.pictures.map(({operand, svg}) => {
    const data = Buffer.from(svg, 'utf8').toString('base64');
    return `<h2>${escape(operand)}</h2><img alt="${escape(operand)}" style="background:white" src="data:image/svg+xml;base64,${data}">`;
  });
  panel.webview.html = '<!DOCTYPE html><meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; ' +
    `style-src 'unsafe-inline'"><h1>${escape(answer.function)}</h1>${figures.join('')}`;
}

// What a command of the server answers, shown; its error, told.
async function told(action) {
  try {
    return await vscode.window.withProgress({location: vscode.ProgressLocation.Window, title: 'TensorLane'}, action);
  } catch (error) {
    vscode.window.showErrorMessage(error.message);
    return undefined;
  }
}

async function layoutHere() {
  const editor = vscode.window.activeTextEditor;
  if (!editor) return;
  const {line, character} = editor.selection.active;
  const place = {textDocument: {uri: client.code2ProtocolConverter.asUri(editor.document.uri)}, position: {line, character}};
  const answer = await told(() => execute('tensorlane.layout', place));
  if (answer) showPictures(answer);
}

async function why() {
  const element = await vscode.window.showInputBox({prompt: 'output_addr[17], output_addr[0,3,1,2]', placeHolder: 'NAME[INDEX]'});
  if (!element) return;
  const answer = await told(() => execute('tensorlane.why', {element}));
  if (answer) await show(answer.text ?? answer.output, 'plaintext');
}

// A repair's page; other commands of the server are answered by messages of its own.
async function executed(command, args, next) {
  const answer = await next(command, args);
  if (command === 'tensorlane.explain' && answer) await show(answer.markdown, 'markdown');
  return answer;
}

async function activate(context) {
  const path = vscode.workspace.getConfiguration('tensorlane').get('path');
  client = new LanguageClient('tensorlane', 'TensorLane', {command: path, args: ['lsp']}, {
    documentSelector: [{scheme: 'file', language: 'c'}, {scheme: 'file', language: 'cpp'}],
    initializationOptions: settings(),
    middleware: {executeCommand: executed},
  });
  const run = (command) => async () => {
    const answer = await told(() => execute(command));
    if (answer && answer.built === false) await show(answer.output, 'plaintext');
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('tensorlane.runProgram', run('tensorlane.run')),
    vscode.commands.registerCommand('tensorlane.verifyProgram', run('tensorlane.verify')),
    vscode.commands.registerCommand('tensorlane.whyValue', why),
    vscode.commands.registerCommand('tensorlane.showLayout', layoutHere),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('tensorlane'))
        client.sendNotification('workspace/didChangeConfiguration', {settings: {tensorlane: settings()}});
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() =>
      client.sendNotification('workspace/didChangeConfiguration', {settings: {tensorlane: settings()}})));
  await client.start();
}

function deactivate() {
  return client && client.stop();
}

module.exports = {activate, deactivate};
