// The page: one launch of a run, or of two runs the launches that belong together.

const runs = data.runs;
// The charts of each run by kernel and by how often that was launched before.
const charted = runs.map(run => {
  const seen = new Map();
  return new Map(run.charts.map(chart => {
    const kernel = chart.profile.kernel, number = seen.get(kernel) ?? 0;
    seen.set(kernel, number + 1);
    return [`${kernel} ${number}`, chart];
  }));
});
const keys = [...new Set(charted.flatMap(charts => [...charts.keys()]))];
const page = document.getElementById('page'), body = make('div');
let painters = [];  // what is drawn again when size or colours change

const launchName = key => {
  const chart = charted.map(charts => charts.get(key)).find(Boolean);
  return `${say('launch_n', chart.profile.kernel, chart.profile.launch)}: ${time(chart.profile.modelled_us)}`;
};

function tools(view, legend) {
  const button = (label, text, act) => make('button', { type: 'button', title: label, 'aria-label': label, click: act }, text);
  const mark = (color, text) => make('span', {}, make('i', { style: `background:var(--${color})` }), text);
  return make('div', { class: 'tools' },
    button(say('zoom_in'), '+', () => view.zoom(0.5)), button(say('zoom_out'), '−', () => view.zoom(2)),
    button(say('earlier'), '◀', () => view.move(-0.3)), button(say('later'), '▶', () => view.move(0.3)),
    button(say('whole'), say('whole'), () => view.set(0, view.whole)),
    make('div', { class: 'legend' }, legend.map(row => mark(styles[row], row === 'issue' ? say('issue') : row)),
      mark('old', say('old')), mark('pressure', say('in_use'))));
}

function chartSection(charts) {
  const shown = charts.filter(Boolean), view = new View(Math.max(...shown.map(chart => chart.us)));
  const section = make('section', { class: 'timeline' }, make('h2', {}, say('timeline')),
    tools(view, rows.filter(row => shown.some(chart => chart.rows.some(each => engineOf(each) === row)))));
  charts.forEach((chart, at) => {
    if (runs.length > 1) section.append(make('h3', {}, `${say(at === 0 ? 'run_a' : 'run_b')}: ${runs[at].name}`, chart ? ` · ${time(chart.us)}` : ''));
    if (!chart) return section.append(make('p', {}, say('not_there')));
    const detail = make('div', { class: 'detail', 'aria-live': 'polite' });
    let roofs = [];
    const timeline = new Timeline(chart, view, (command, block) => {
      detail.replaceChildren(...detailOf(chart, command, block));
      for (const roof of roofs) Object.assign(roof, { chosen: command }).draw();
    });
    if (chart.count < chart.totalCommands) section.append(make('p', { class: 'note' }, say('drawn', chart.count, chart.totalCommands)));
    section.append(timeline.canvas, detail);
    timeline.choose(null, null);
    painters.push(() => timeline.draw());
    if (runs.length > 1) return;
    const lists = rooflines(chart, command => timeline.pick(command));
    roofs = lists.map(([, , roof]) => roof);
    section.append(make('p', { class: 'quiet keys' }, say('keys')), make('h2', {}, say('roofline')), make('div', { class: 'pair' },
      lists.map(([title, note, roof]) => make('figure', {}, make('div', {}, say(title)), roof.canvas, make('figcaption', {}, say(note))))));
    painters.push(...roofs.map(roof => () => roof.draw()));
  });
  return section;
}

function launchesSection(run) {
  if (run.launches.length === 0) return '';
  const keyOf = new Map([...charted[runs.indexOf(run)]].map(([key, chart]) => [chart.profile.launch, key]));
  const name = launch => keyOf.has(launch.launch) && launch.launches === undefined
    ? make('a', { href: '#' + launch.launch, click: event => { event.preventDefault(); choose(keyOf.get(launch.launch)); scrollTo(0, 0); } }, launch.kernel)
    : launch.kernel;
  return make('section', {}, make('h2', {}, say('launches')),
    run.count > run.charts.length && run.charts.length > 0 ? make('p', {}, say('charts', run.charts.length, run.count)) : '',
    table([word(say('launch')), word(say('kernel')), number(say('commands')), number(say('time')), number(say('by_host'))],
      run.launches.map(launch => [launch.launches === undefined ? String(launch.launch) : say('others', launch.launches), name(launch),
        String(launch.commands), time(launch.us), time(launch.host_us)])));
}

// The launches of a run one after the other, as long as a host sees them.
function stripOf(run, key) {
  const keyOf = new Map([...charted[runs.indexOf(run)]].map(([each, chart]) => [chart.profile.launch, each]));
  const slices = run.launches.filter(launch => launch.launches === undefined && launch.host_us > 0);
  if (slices.length < 2) return null;
  return make('div', { class: 'strip', role: 'group', 'aria-label': say('launches') }, slices.map(launch => {
    const to = keyOf.get(launch.launch), name = say('launch_n', launch.kernel, launch.launch), style = `flex-grow:${launch.host_us}`;
    const title = `${name}: ${time(launch.host_us)}`;
    return to === undefined ? make('span', { style, title }, '')
      : make('button', { type: 'button', style, title, 'aria-label': title, 'aria-pressed': String(to === key), click: () => choose(to) }, name);
  }));
}

function choose(key) {
  const charts = runs.map((run, at) => charted[at].has(key) ? new Chart(run, charted[at].get(key)) : null);
  const [only] = charts;
  painters = [];
  picker.value = key;
  body.replaceChildren(...[
    ...(runs.length === 1 ? [stripOf(runs[0], key), make('div', { class: 'head' }, headOf(only)), only.profile.failed ? make('p', { class: 'note' }, say('failed')) : null, findingsSection(runs[0]), evidenceSection(runs[0]), whySection(only)]
      : charts.every(Boolean) ? [verdict(...charts), make('p', { class: 'quiet' }, say('compared'))] : []),
    chartSection(charts),
    ...(runs.length === 1 ? [linesSection(only), make('section', {}, make('h2', {}, say('figures')), table([word(''), number('')], figuresOf(only).map(([name, , text]) => [name, text]), 'narrow'))]
      : charts.every(Boolean) ? [compareSection(...charts)] : []),
  ].filter(Boolean));
  redraw();
}
function redraw() { for (const draw of painters) draw(); }

const picker = make('select', { 'aria-label': say('launch'), change: () => choose(picker.value) },
  keys.map(key => make('option', { value: key }, launchName(key))));
const mode = [...new Set(runs.map(run => run.mode ? say('mode_' + run.mode) : say('no_launch')))].join(' / ');
page.append(hint, make('div', { class: 'head' }, make('h1', {}, 'TensorLane'), keys.length > 0 ? picker : say('no_launch')), body,
  ...runs.map(run => make('div', {}, runs.length > 1 ? make('h2', {}, run.name) : '', launchesSection(run))),
  make('p', { class: 'quiet' }, say('modelled', mode)), ...[...new Set(runs.map(run => run.note).filter(Boolean))].map(note => make('p', { class: 'note' }, note)));
window.addEventListener('resize', redraw);
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', redraw);
if (keys.length > 0) {
  const longest = keys.reduce((a, b) => Math.max(...charted.map(charts => charts.get(b)?.profile.modelled_us ?? 0)) >
    Math.max(...charted.map(charts => charts.get(a)?.profile.modelled_us ?? 0)) ? b : a);
  choose(longest);
}
