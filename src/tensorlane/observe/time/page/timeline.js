// The timeline: a row per engine, the bytes in use, the map of local memory, all over one axis of time.

const kRow = 26, kAxis = 22, kPressure = 44, kGap = 8;

// What part of the time is seen; charts that share it move together.
class View {
  constructor(whole) {
    Object.assign(this, { whole: whole || 1, start: 0, width: whole || 1, watchers: [] });
  }
  set(start, width) {
    this.width = Math.min(this.whole, Math.max(this.whole / 1e5, width));
    this.start = Math.min(this.whole - this.width, Math.max(0, start));
    for (const watcher of this.watchers) watcher();
  }
  zoom(factor, at = this.start + this.width / 2) {
    const width = Math.min(this.whole, this.width * factor);
    this.set(at - (at - this.start) * width / this.width, width);
  }
  move(share) { this.set(this.start + share * this.width, this.width); }
  reveal(from, to) {
    if (to - from > this.width) this.set(from, (to - from) * 1.1);
    else if (from < this.start || to > this.start + this.width) this.set((from + to - this.width) / 2, this.width);
  }
}

// Steps of 1, 2 or 5 times a power of ten.
function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map(factor => factor * power).find(step => step >= least * 0.999);
}

const colors = () => {
  const style = getComputedStyle(document.documentElement);
  return new Proxy({}, { get: (_, name) => style.getPropertyValue('--' + name).trim() });
};

// A canvas as wide as its place and sharp on any screen. `draw(context, width, height)`
function paint(canvas, height, draw) {
  const width = canvas.clientWidth, scale = window.devicePixelRatio || 1;
  canvas.style.height = height + 'px';
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const context = canvas.getContext('2d');
  context.scale(scale, scale);
  context.font = '12px system-ui, "Noto Sans CJK SC", sans-serif';
  draw(context, width, height);
}

class Timeline {
  // `choose(command or null, block or null)` is told of clicks.
  constructor(chart, view, choose) {
    Object.assign(this, { chart, view, choose, chosen: null, block: null });
    const name = say('launch_n', chart.profile.kernel, chart.profile.launch);
    this.canvas = make('canvas', { tabindex: 0, role: 'img', 'aria-label': say('chart_label', name) });
    view.watchers.push(() => this.draw());
    this.listen();
  }
  get memoryTop() { return kAxis + this.chart.rows.length * kRow + kGap + kPressure + kGap; }
  get memoryHeight() { return window.innerWidth < 600 ? 150 : 190; }
  x(us) { return this.left + (us - this.view.start) / this.view.width * (this.width - this.left); }
  us(x) { return this.view.start + (x - this.left) / (this.width - this.left) * this.view.width; }

  draw() {
    if (!this.canvas.isConnected) return;
    paint(this.canvas, this.memoryTop + this.memoryHeight + 6, (context, width) => {
      Object.assign(this, { context, width, left: width < 500 ? 52 : 74, color: colors() });
      this.drawAxis();
      this.chart.rows.forEach((row, at) => this.drawRow(row, kAxis + at * kRow));
      this.drawPressure(kAxis + this.chart.rows.length * kRow + kGap);
      this.drawMemory(this.memoryTop, this.memoryHeight);
    });
  }
  label(text, y) {
    this.context.fillStyle = this.color.quiet;
    this.context.textAlign = 'right';
    this.context.fillText(text, this.left - 5, y, this.left - 7);
    this.context.textAlign = 'left';
  }
  drawAxis() {
    const { context, view } = this;
    const step = niceStep(view.width / Math.max(2, (this.width - this.left) / 95));
    const bottom = this.memoryTop + this.memoryHeight;
    for (let k = Math.ceil(view.start / step); k * step <= view.start + view.width; ++k) {
      const x = this.x(k * step), text = Number((k * step).toPrecision(12)).toLocaleString('en-US', { maximumFractionDigits: 6 });
      context.fillStyle = this.color.grid;
      context.fillRect(x, 16, 1, bottom - 16);
      context.fillStyle = this.color.quiet;
      context.textAlign = x + 30 > this.width ? 'right' : x - 30 < this.left ? 'left' : 'center';
      context.fillText(text, x, 12);
    }
    context.textAlign = 'left';
    this.label('µs', 12);
  }
  // Where the commands of a row begin that can be seen.
  first(list, row) {
    let low = 0, high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.chart.span(list[middle], row)[1] < this.view.start) low = middle + 1; else high = middle;
    }
    return low;
  }
  // What would be thinner than a line is drawn as one box.
  drawRow(row, y) {
    const { context, chart, view } = this, list = chart.inRow[row];
    const engine = engineOf(row);
    this.label(row.slice(0, -engine.length) + (engine === 'issue' ? say('issue') : engine), y + kRow / 2 + 4);
    let drawn = this.left;
    for (let at = this.first(list, row); at < list.length; ++at) {
      const k = list[at], [from, to] = chart.span(k, row);
      if (from > view.start + view.width) break;
      const begin = Math.max(this.left, this.x(from)), end = Math.min(this.width, Math.max(begin + 1, this.x(to)));
      if (end <= drawn) {
        if (chart.marks[k]) this.drawMark(begin, end, y);
        continue;
      }
      context.fillStyle = this.color[styles[engine]];
      context.fillRect(Math.max(drawn, begin), y + 2, end - Math.max(drawn, begin), kRow - 4);
      if (end - begin > 6) {  // a seam, so that neighbours can be told apart
        context.fillStyle = this.color.page;
        context.fillRect(end - 0.7, y + 2, 0.7, kRow - 4);
      }
      if (chart.marks[k]) this.drawMark(begin, end, y);
      drawn = end;
      this.drawName(engine === 'issue' ? '' : chart.name(k), begin, end, y + kRow / 2 + 4);
    }
    if (this.chosen !== null && list.includes(this.chosen)) this.outline(...chart.span(this.chosen, row), y + 1, kRow - 2);
  }
  drawName(name, begin, end, y) {
    const room = end - begin - 6;
    if (room < 22 || name === '') return;
    const { context } = this;
    let text = name;
    if (context.measureText(text).width > room) {
      const letters = Math.floor(name.length * room / context.measureText(name).width) - 1;
      if (letters < 4) return;
      text = '…' + name.slice(-letters);  // what functions differ in stands at the end
    }
    context.fillStyle = this.color['on-box'];
    context.fillText(text, begin + 3, y, room);
  }
  // A command that the checker speaks of.
  drawMark(begin, end, y) {
    const { context } = this, middle = Math.min(begin + 6, (begin + end) / 2);
    context.fillStyle = this.color.worse;
    context.fillRect(begin, y + kRow - 6, Math.max(2, end - begin), 4);
    context.beginPath();
    for (const [dx, dy] of [[-5, 0], [5, 0], [0, 7]]) context.lineTo(middle + dx, y + dy);
    context.fill();
  }
  outline(from, to, y, height) {
    const x = Math.max(this.left, this.x(from)), end = Math.min(this.width, this.x(to));
    if (end < x) return;
    this.context.strokeStyle = this.color.chosen;
    this.context.lineWidth = 2;
    this.context.strokeRect(x, y, Math.max(2, end - x), height);
  }
  drawPressure(top) {
    const { context, chart, view } = this, most = chart.run.npu_bytes;
    this.label((chart.cores > 1 ? `${chart.core}: ` : '') + say('in_use'), top + 12);
    this.label(percent(chart.peakBytes, most), top + 27);
    context.fillStyle = this.color.pressure;
    chart.pressure.forEach(([us, bytes], at) => {
      const next = chart.pressure[at + 1]?.[0] ?? us;
      if (next < view.start || us > view.start + view.width || bytes === 0) return;
      const begin = Math.max(this.left, this.x(us)), height = Math.max(1, bytes / most * kPressure);
      context.fillRect(begin, top + kPressure - height, Math.max(1, Math.min(this.width, this.x(next)) - begin), height);
    });
    context.fillStyle = this.color.edge;
    context.fillRect(this.left, top, this.width - this.left, 1);
    context.fillRect(this.left, top + kPressure, this.width - this.left, 1);
  }
  drawMemory(top, height) {
    const { context, chart, view } = this, { npu_bytes: bytes, banks } = chart.run;
    // Whole banks, as many to a line as there are to all others.
    let lines = banks;
    while (lines > 1 && (lines * 18 > height || banks % lines !== 0)) --lines;
    for (let k = 0; k <= lines; ++k) {
      const at = k * bytes / lines, y = top + at / bytes * height;
      context.fillStyle = this.color.edge;
      context.fillRect(this.left, y, this.width - this.left, 1);
      if (k < lines) this.label(address(at), y + 11);
    }
    for (const block of chart.blocks) {
      const [begin, end, from, to, writer] = block;
      if (to < view.start || from > view.start + view.width) continue;
      const x = Math.max(this.left, this.x(from)), right = Math.min(this.width, Math.max(x + 1, this.x(to)));
      const y = top + begin / bytes * height, tall = Math.max(1, (end - begin) / bytes * height);
      context.fillStyle = this.color[writer < 0 ? 'old' : styles[chart.engines[writer]]];
      context.fillRect(x, y, right - x - (right - x > 4 ? 0.7 : 0), tall - (tall > 4 ? 0.7 : 0));
      if (tall > 13) this.drawName(writer < 0 ? '' : chart.name(writer), x, right, y + Math.min(tall / 2 + 4, 14));
    }
    if (this.block) this.outline(this.block[2], this.block[3], top + this.block[0] / bytes * height, (this.block[1] - this.block[0]) / bytes * height);
  }

  // What lies at a point: {command, block, row, several}
  at(x, y) {
    if (x < this.left) return null;
    const { chart } = this, from = this.us(x - 2), to = this.us(x + 2), row = chart.rows[Math.floor((y - kAxis) / kRow)];
    if (y >= kAxis && row) {
      const middle = this.us(x);
      const near = chart.inRow[row].filter(k => chart.span(k, row)[1] >= from && chart.span(k, row)[0] <= to);
      if (near.length === 0) return null;
      const off = k => Math.max(0, chart.span(k, row)[0] - middle, middle - chart.span(k, row)[1]);
      return { command: near.reduce((best, k) => off(k) < off(best) ? k : best), row, several: near.length };
    }
    const bytes = (y - this.memoryTop) / this.memoryHeight * chart.run.npu_bytes;
    const slack = chart.run.npu_bytes / this.memoryHeight;
    const block = chart.blocks.filter(([begin, end, start, until]) =>
      begin <= bytes + slack && end > bytes - slack && start <= to && until >= from)
      .reduce((best, each) => best && best[1] - best[0] <= each[1] - each[0] ? best : each, null);
    return block && { command: block[4] < 0 ? null : block[4], block };
  }
  tip(found) {
    const { chart } = this;
    if (found.block) {
      const [begin, end, , , writer] = found.block;
      return say('block', address(begin), address(end), size(end - begin)) + ' · ' +
        (writer < 0 ? say('not_written') : chart.name(writer) + ' · ' + place(chart.line(writer)));
    }
    const [from, to] = chart.span(found.command, found.row);
    return `${chart.name(found.command)} · ${place(chart.line(found.command))} · ${time(to - from)}` +
      (found.several > 1 ? ' · ' + say('several', found.several) : '');
  }
  pick(command, block = null) {
    Object.assign(this, { chosen: command, block });
    if (command !== null && this.chart.coreOf(command) !== this.chart.core) this.chart.see(this.chart.coreOf(command));
    if (command !== null && !block) this.view.reveal(this.chart.commands.start[command], this.chart.commands.end[command]);
    this.draw();
    this.choose(command, block);
  }
  step(by) {
    const next = this.chosen === null ? (by > 0 ? 0 : this.chart.count - 1) : this.chosen + by;
    if (next >= 0 && next < this.chart.count) this.pick(next);
  }
}
