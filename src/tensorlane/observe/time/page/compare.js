// Two runs: what has become of the figures and of every line.

const change = (before, after) => {
  const by = after - before;
  const text = (by > 0 ? '+' : '') + (before > 0 ? (100 * by / before).toFixed(1) + ' %' : digits(by));
  return Math.abs(by) < 1e-9 ? '0' : text;
};
const timeChange = (before, after) =>
  make('span', { class: after > before ? 'worse' : after < before ? 'better' : '' }, change(before, after));

// Lines of both runs that belong together: the k-th one that calls a function in the same function of the kernel. Line numbers
// change with every edit.
function pairedLines(a, b) {
  const keyed = chart => {
    const seen = new Map(), lines = [...chart.profile.lines].sort((p, q) => p.file === q.file ? p.line - q.line : p.file < q.file ? -1 : 1);
    return new Map(lines.map(line => {
      const name = `${line.call} ${line.function}`, number = seen.get(name) ?? 0;
      seen.set(name, number + 1);
      return [`${name} ${number}`, line];
    }));
  };
  const first = keyed(a), second = keyed(b);
  const pairs = [...new Set([...first.keys(), ...second.keys()])].map(key => [first.get(key), second.get(key)]);
  const weight = ([p, q]) => Math.abs((q?.modelled_us ?? 0) - (p?.modelled_us ?? 0));
  return pairs.sort((p, q) => weight(q) - weight(p));
}

function verdict(a, b) {
  const [before, after] = [a.us, b.us];
  const said = before === after ? say('same') : after < before ? say('faster', percent(before - after, before)) : say('slower', percent(after - before, before));
  return make('p', {}, make('strong', { class: after > before ? 'worse' : 'better' }, said), ` (${time(before)} → ${time(after)})`);
}

// Where a line stands; both places where the edit has moved it.
function places(p, q) {
  const code = line => make('code', {}, place(line));
  if (!p || !q) return [code(p ?? q), ' ', say(p ? 'only_a' : 'only_b')];
  return place(p) === place(q) ? code(p) : [code(p), ' → ', code(q)];
}

function compareSection(a, b) {
  const figures = figuresOf(b), named = new Map(figuresOf(a).map(figure => [figure[0], figure]));
  for (const [name] of figures) if (!named.has(name)) named.set(name, [name, 0, '—']);
  const later = new Map(figures.map(figure => [figure[0], figure]));
  return make('section', {},
    make('h2', {}, say('by_line')),
    table([word(say('call')), number(say('run_a')), number(say('run_b')), number(say('difference')), word(say('line'))],
      pairedLines(a, b).map(([p, q]) => [make('code', {}, (p ?? q).call), p ? time(p.modelled_us) : '—', q ? time(q.modelled_us) : '—',
        timeChange(p?.modelled_us ?? 0, q?.modelled_us ?? 0), places(p, q)])),
    make('h2', {}, say('figures')),
    table([word(''), number(say('run_a')), number(say('run_b')), number(say('difference'))],
      [...named].map(([name, [, value, text]]) => {
        const [, now, shown] = later.get(name) ?? ['', 0, '—'];
        return [name, text, shown, change(value, now)];
      })));
}
