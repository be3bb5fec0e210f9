// What stands around the charts of a launch: why, the command that was clicked, figures, lines.

// The peak of a line and what it reached of that.
function reached(line) {
  if (line.modelled_us <= 0) return '';
  if (moves(line.engine)) return `${digits(line.bytes / line.modelled_us / 1e3)} / ${digits(line.peak_gbps)} GB/s`;
  return line.peak_gops > 0 ? `${digits(line.operations / line.modelled_us / 1e3)} / ${digits(line.peak_gops)} Gop/s` : '';
}

// A path that is too long for its line is broken behind a slash.
const broken = at => at.split('/').flatMap((part, k) => k > 0 ? ['/', make('wbr'), part] : [part]);

// What helps is said once where several reasons in a row have the same remedy.
function reason({ what, help, at, share }, before) {
  return make('li', {}, make('span', { class: 'share' }, share), ' ', what,
    at ? [say('most_at'), make('code', {}, broken(at))] : '', before?.help === help ? '' : make('span', { class: 'help quiet' }, say('helps') + help));
}

// Source as it stands in its file.
function sourceOf(run, file, line, around = 2) {
  const lines = excerpt(run, file, line, around);
  if (lines.length === 0) return '';
  const blank = Math.min(...lines.filter(([, text]) => text.trim() !== '').map(([, text]) => text.search(/\S/)));
  return make('pre', { class: 'source' }, lines.map(([number, text, here]) =>
    make('span', here ? { class: 'here' } : {}, `${String(number).padStart(5)}  ${text.slice(Number.isFinite(blank) ? blank : 0)}\n`)));
}

const kMostFindings = 20;  // of a run, in full

function findingItem(run, finding) {
  const where = at => make('li', {}, `${at.role}: `, at.call ? make('code', {}, at.call) : '', ' ', make('code', {}, broken(at.place || say('unknown_place'))),
    sourceOf(run, at.file, at.line, 1));
  return make('li', {}, make('span', { class: 'severity ' + finding.severity }, say(finding.severity)), ' ', make('code', {}, finding.id), ' ', finding.message,
    make('ul', {}, finding.locations.map(where)),
    finding.repair ? make('span', { class: 'help quiet' }, say('repair') + finding.repair) : '');
}

// What the checker found in a run; what follows from other findings is folded.
function findingsSection(run) {
  const all = run.findings, quiet = text => make('section', { class: 'checked' }, make('p', { class: 'quiet' }, say(text)));
  if (all === undefined) return quiet('not_checked');
  if (all.length === 0) return quiet('nothing_found');
  const causes = all.filter(finding => !finding.consequence_of), others = all.filter(finding => finding.consequence_of);
  const list = findings => make('ol', { class: 'findings' }, findings.slice(0, kMostFindings).map(finding => findingItem(run, finding)),
    findings.length > kMostFindings ? make('li', {}, say('more_n', findings.length - kMostFindings)) : '');
  return make('section', { class: 'checked' }, make('h2', {}, say('findings')), list(causes),
    others.length > 0 ? make('details', {}, make('summary', {}, say('follow_n', others.length)), list(others)) : '');
}

// What the bits of the functions that the run used rest on, and whether results of a choice got out.
function evidenceSection(run) {
  const all = run.evidence, kinds = ['model', 'board hash', 'document', 'choice'].filter(kind => all?.[kind]?.length > 0);
  if (kinds.length === 0) return null;
  const out = all.choices_in_outputs, orders = all.order_of_cores ?? [];
  return make('section', { class: 'evidence' }, make('details', {},
    make('summary', {}, say('evidence') + kinds.map(kind => `${say('by_' + kind.replace(' ', '_'))} ${all[kind].length}`).join(', ') +
      (all.choice.length === 0 ? '' : ' · ' + (out.length > 0 ? say('choices_out', out.join(', ')) : say('choices_in')))),
    orders.length > 0 ? make('p', {}, say('orders', orders.join(', '))) : '',
    table([word(''), word(say('call'))], kinds.map(kind => [say('by_' + kind.replace(' ', '_')), make('code', {}, all[kind].join(' '))]), 'narrow')));
}

const kBoundingLines = 3;

// What remedies win; then the lines that hold what bounds the launch, as far as nothing above speaks of them.
function whySection({ profile }) {
  const whole = profile.modelled_us, shown = profile.why.slice(0, 4);
  const won = each => Math.abs(each.alone_us - each.lost_us) < 0.01 * whole ? say('wins', time(each.lost_us))
    : say('wins_alone', time(each.alone_us), time(each.lost_us));
  const items = shown.map(each => ({ ...each,
    share: each.alone_us + each.lost_us > 0 ? `${percent(each.lost_us, whole)} · ${won(each)}` : `${percent(each.busy_us, whole)} · ${time(each.busy_us)}` }));
  const bounding = profile.lines.filter(line => line.held_us >= 0.02 * whole && !shown.some(each => each.at === line.at))
    .sort((a, b) => b.held_us - a.held_us).slice(0, kBoundingLines - 1);
  items.push(...bounding.map(line => ({ ...line, share: `${percent(line.held_us, whole)} · ${time(line.held_us)}` })));
  return items.length === 0 ? null
    : make('section', {}, make('h2', {}, say('why')), make('ol', { class: 'why' }, items.map((item, k) => reason(item, items[k - 1]))));
}

function headOf({ profile, run }) {
  const range = (low, high) => high > low ? say('range', time(low), time(high)) : time(low);
  const bound = profile.bound_by === 'issue' ? say('issue') : profile.bound_by;
  return [
    make('span', { class: 'time' }, range(profile.modelled_us, profile.modelled_at_most_us)),
    make('span', {}, profile.lines.length > 0 ? say('bound_by', bound) : say('no_commands')),
    make('span', { class: 'quiet' }, say('host_time', range(profile.modelled_host_us, profile.modelled_host_at_most_us))),
    make('span', { class: 'quiet' }, `${run.full_name}, ${digits(profile.clock_mhz)} MHz`),
  ];
}

// The writer of a block and, inside of it, those that it read from; one that was listed is only named again.
function origin(chart, first) {
  const listed = new Set();
  const item = (k, depth) => {
    const title = `#${k} ${chart.name(k)}, ${place(chart.line(k))}`;
    const sources = chart.sources[k];
    if (sources.length === 0) return make('li', {}, title);
    if (listed.has(k)) return make('li', {}, `${title} (${say('above')})`);
    listed.add(k);
    return make('li', {}, title, depth < 32 ? list(sources, depth + 1) : '');
  };
  const list = (commands, depth) => make('ul', {}, commands.map(k => k < 0 ? make('li', {}, say('more_n', -k)) : item(k, depth)));
  return list([first], 0);
}

function detailOf(chart, k, block) {
  if (k === null && !block) return [make('span', { class: 'quiet' }, say('pick'))];
  const parts = [];
  if (block) {
    const [begin, end, from, to, writer, reader] = block;
    parts.push(make('p', {}, `${say('memory')} ${say('block', address(begin), address(end), size(end - begin))}: ${say('from_to', time(from), time(to), time(to - from))}; `,
      writer < 0 ? say('not_written') + '; ' : '',
      reader < 0 ? say('never_read') : `${say('last_read')} ${chart.name(reader)}, ${place(chart.line(reader))}`));
  }
  if (k === null) return parts;
  const { commands } = chart, line = chart.line(k), us = commands.end[k] - commands.start[k];
  const facts = [say('from_to', time(commands.start[k]), time(commands.end[k]), time(us)), say('issued_at', time(commands.issued[k]))];
  if (chart.cores > 1) facts.push(say('of_core', chart.coreOf(k)));
  if (moves(chart.engines[k])) facts.push(say('moves', size(commands.bytes[k]), digits(chart.rate(k)), digits(commands.peak[k])));
  else if (commands.peak[k] > 0) {
    facts.push(say('computes', digits(commands.operations[k], 4), digits(chart.rate(k)), digits(commands.peak[k]),
      digits(commands.operations[k] / (commands.operand_bytes[k] || 1))));
  }
  if (commands.region[k] >= 0) facts.push(say('in_region', commands.region[k]));
  const written = chart.blocks.filter(each => each[4] === k).slice(0, 4);
  if (written.length > 0) facts.push(say('writes', written.map(each => `${address(each[0])}–${address(each[1])}`).join(', ')));
  for (const finding of chart.findings[commands.line[k]])
    parts.push(make('p', { class: 'worse' }, `${say(finding.severity)} ${finding.id}: ${finding.message}`));
  parts.push(
    make('p', {}, make('strong', {}, line.call), ` · ${line.engine} · ${say('command_n', k, chart.count)} · `, make('code', {}, place(line))),
    chart.calls?.[k] ? make('p', {}, make('code', {}, chart.calls[k])) : '',
    sourceOf(chart.run, line.file, line.line),
    make('p', {}, facts.join('; ')),
    make('p', { class: 'quiet' }, `${line.what}. ${say('helps')}${line.help}`));
  if (chart.sources[k].length > 0) parts.push(make('p', {}, say('came_from')), origin(chart, k));
  return parts;
}

// [name, value, text] of what the launch spent its time on; a value can be compared.
function figuresOf(chart) {
  const { profile } = chart, whole = profile.modelled_us, won = profile.could_be_won_us;
  const us = (name, value) => value > 0 ? [[say(name), value, `${time(value)}, ${percent(value, whole)}`]] : [];
  const moved = name => profile[name].bytes > 0
    ? [[say(name), profile[name].bytes, `${size(profile[name].bytes)}, ${digits(profile[name].bytes / profile[name].busy_us / 1e3)} GB/s`]] : [];
  return [
    [say('time'), whole, `${time(whole)}, ${say('cycles', digits(Math.round(whole * profile.clock_mhz), 9))}`],
    [say('by_host'), profile.modelled_host_us, time(profile.modelled_host_us)],
    ...us('gdma_busy', profile.gdma_busy_us), ...us('bdc_busy', profile.bdc_busy_us), ...us('hau_busy', profile.hau_busy_us), ...us('sdma_busy', profile.sdma_busy_us),
    ...us('overlap', profile.overlap_us), ...us('issuing', profile.issue_us), ...us('issue_wait', profile.issue_wait_us),
    ...us('idle_npus', won.idle_npus), ...us('idle_units', won.idle_units), ...us('starts', won.starts),
    [say('eu'), profile.eu_utilisation, (100 * profile.eu_utilisation).toFixed(1) + ' %'],
    ...moved('ddr_to_local'), ...moved('local_to_ddr'), ...moved('ddr_to_ddr'), ...moved('inside_local'), ...moved('sdma'),
    ...(profile.operations_per_byte > 0 ? [[say('intensity'), profile.operations_per_byte, digits(profile.operations_per_byte)],
      [say('balanced'), profile.balanced_operations_per_byte, digits(profile.balanced_operations_per_byte)]] : []),
    [say('peak_memory'), chart.peakBytes, `${size(chart.peakBytes)}, ${percent(chart.peakBytes, chart.run.npu_bytes)}`],
  ];
}

function table(heads, lines, style = '') {
  const cell = (tag, value, at) => make(tag, heads[at].number ? { class: 'number' } : {}, value);
  return make('div', { class: 'wide' }, make('table', { class: style },
    make('thead', {}, make('tr', {}, heads.map((head, at) => cell('th', head.text, at)))),
    make('tbody', {}, lines.map(line => make('tr', {}, line.map((value, at) => cell('td', value, at)))))));
}
const word = text => ({ text }), number = text => ({ text, number: true });

function linesSection(chart) {
  const whole = chart.profile.modelled_us, cores = chart.profile.cores ?? 1;
  // Of several cores the time of one on average.
  const bar = line => [percent(line.modelled_us / cores, whole), make('span', { class: 'bar',
    style: `width:${Math.min(100, 100 * line.modelled_us / cores / whole).toFixed(1)}%;background:var(--${styles[line.engine] ?? 'issue'})` })];
  return make('section', {}, make('h2', {}, say('lines')), table(
    [word(say('line')), word(say('call')), word(say('engine')), number(say('calls')), number(say('busy')), number(say('share')),
      number(say('issuing')), number(say('bytes_moved')), number(say('achieved'))],
    chart.profile.lines.map((line, at) => [[make('code', {}, place(line)), sourceOf(chart.run, line.file, line.line, 0),
      ...chart.findings[at].map(finding => make('span', { class: 'worse help' }, `${say(finding.severity)} ${finding.id}`))], make('code', {}, line.call), line.engine, String(line.calls), time(line.modelled_us), bar(line),
      time(line.issue_us), line.bytes > 0 ? size(line.bytes) : '', reached(line)])));
}
