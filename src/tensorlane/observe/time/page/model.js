'use strict';
// Texts, figures and what a launch is made of. Everything shown is text, never markup.

const texts = JSON.parse(document.getElementById('texts').textContent)[document.documentElement.lang];
const data = JSON.parse(document.getElementById('data').textContent);

const say = (name, ...values) => texts[name].replace(/\{(\d)\}/g, (_, at) => values[at]);

// An element with its attributes (functions listen) and its children.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'style') element.style.cssText = value;
    else element.setAttribute(name, value);
  }
  element.append(...children.flat().filter(child => child !== null && child !== ''));
  return element;
}

const digits = (value, most = 3) => {
  if (value === 0) return '0';
  const places = Math.max(0, most - 1 - Math.floor(Math.log10(Math.abs(value))));
  return Number(value.toFixed(Math.min(6, places))).toLocaleString('en-US', { maximumFractionDigits: 6 });
};
const time = us => (Math.abs(us) >= 1e4 ? digits(us / 1e3, 4) + ' ms' : digits(us, us < 1 ? 3 : 4) + ' µs');
const size = bytes =>
  bytes >= 1 << 20 ? digits(bytes / (1 << 20)) + ' MiB' : bytes >= 1024 ? digits(bytes / 1024) + ' KiB' : bytes + ' B';
const address = bytes => '0x' + bytes.toString(16).padStart(5, '0');
const percent = (part, whole) => (whole > 0 ? (100 * part / whole).toFixed(part < whole ? 1 : 0) : '0') + ' %';
const place = line => line.at || say('unknown_place');

const rows = ['issue', 'GDMA', 'SDMA', 'BDC', 'HAU'];
const styles = { issue: 'issue', GDMA: 'gdma', SDMA: 'sdma', BDC: 'bdc', HAU: 'hau' };
const always = ['GDMA', 'BDC'];  // the others have a row where they work
const moves = engine => engine === 'GDMA' || engine === 'SDMA';
// In a launch on several cores the row "3: GDMA" is that engine of core 3.
const engineOf = row => row.slice(row.indexOf(' ') + 1);

const grave = finding => finding.severity !== 'advice' && !finding.consequence_of;
// The checker names files below the folder of the run without it.
const sameFile = (a, b) => a === b || (b !== '' && a.endsWith('/' + b));
// Findings that name the place and the function of a line.
const findingsAt = (run, line) => line.file === '' ? [] : (run.findings ?? []).filter(finding => grave(finding) &&
  finding.locations.some(at => sameFile(line.file, at.file) && at.line === line.line && (at.call === '' || at.call === line.call)));
// Lines of source around one: [number, text, whether it is that one].
function excerpt(run, file, line, around = 2) {
  const lines = run.sources?.[file] ?? {};
  return Array.from({ length: 2 * around + 1 }, (_, k) => line - around + k).filter(k => lines[k] !== undefined).map(k => [k, lines[k], k === line]);
}

// A launch as the charts want it.
class Chart {
  constructor(run, chart) {
    Object.assign(this, chart);
    this.run = run;
    this.us = this.profile.modelled_us;
    this.count = this.commands.line.length;
    this.engines = this.commands.line.map(line => this.profile.lines[line].engine);
    this.cores = (this.commands.core ?? []).reduce((most, core) => Math.max(most, core + 1), 1);
    // Per row the commands in the order of time, which engines keep.
    const shown = rows.filter(row => row === 'issue' ? this.profile.launch_mode === 'issued'
      : always.includes(row) || this.engines.includes(row));
    this.rows = this.cores === 1 ? shown : Array.from({ length: this.cores }, (_, core) => shown.map(row => `${core}: ${row}`)).flat();
    this.inRow = Object.fromEntries(this.rows.map(row => [row, []]));
    this.engines.forEach((engine, k) => {
      const core = this.cores === 1 ? '' : `${this.coreOf(k)}: `;
      for (const row of [core + 'issue', core + engine]) this.inRow[row]?.push(k);
    });
    // Per line of the profile the findings of the checker at it, per command whether there are any.
    this.findings = this.profile.lines.map(line => findingsAt(run, line));
    this.marks = this.commands.line.map(line => this.findings[line].length > 0);
    this.allBlocks = this.blocks;
    this.see(0);
    this.totalCommands = run.launches.find(launch => launch.launch === this.profile.launch)?.commands ?? this.count;
  }
  // Whose local memory is drawn: each core has its own.
  see(core) {
    this.core = core;
    this.blocks = this.allBlocks.filter(block => (block[6] ?? 0) === core);
    this.pressure = this.steps();
    this.peakBytes = Math.max(0, ...this.pressure.map(([, bytes]) => bytes));
  }
  coreOf(k) { return this.commands.core?.[k] ?? 0; }
  line(k) { return this.profile.lines[this.commands.line[k]]; }
  name(k) { return this.line(k).call; }
  span(k, row) {
    const { issue, issued, start, end } = this.commands;
    return engineOf(row) === 'issue' ? [issue[k], issued[k]] : [start[k], end[k]];
  }
  // Bytes in use from each moment on at which they change.
  steps() {
    const changes = this.blocks.flatMap(([begin, end, from, to]) => [[from, end - begin], [to, begin - end]]);
    changes.sort((a, b) => a[0] - b[0]);
    const steps = [];
    let bytes = 0;
    for (const [us, change] of changes) {
      bytes += change;
      if (steps.length > 0 && steps.at(-1)[0] === us) steps.at(-1)[1] = bytes;
      else steps.push([us, bytes]);
    }
    return steps;
  }
  // What an engine reached in a command, in units of its peak.
  rate(k) {
    const { start, end, bytes, operations } = this.commands;
    const us = end[k] - start[k];
    return us > 0 ? (moves(this.engines[k]) ? bytes[k] : operations[k]) / us / 1e3 : 0;
  }
}
