// How far commands are from their peaks: a dot each, over logarithmic axes.

class Roofline {
  // points: [x, y, command]; roofs: heights of level lines; slope: y per x of a slanted line, or 0;
  // diamond: [x, y] or null
  constructor(label, { points, roofs, slope = 0, diamond = null, color }, pick) {
    Object.assign(this, { points: points.filter(([x, y]) => x > 0 && y > 0), slope, diamond, color, chosen: null });
    this.roofs = [...new Set(roofs.filter(roof => roof > 0).map(roof => Number(roof.toPrecision(3))))];
    this.canvas = make('canvas', { role: 'img', 'aria-label': label, click: event => {
      const found = this.nearest(event.offsetX, event.offsetY);
      if (found) pick(found[2]);
    } });
  }
  bounds() {
    const all = this.diamond ? [...this.points, this.diamond] : this.points;
    const range = values => [10 ** Math.floor(Math.log10(Math.min(...values) / 1.3)), 10 ** Math.ceil(Math.log10(Math.max(...values) * 1.3))];
    return [range(all.map(([x]) => x)), range([...all.map(([, y]) => y), ...this.roofs])];
  }
  x(value) { return this.left + Math.log(value / this.xs[0]) / Math.log(this.xs[1] / this.xs[0]) * (this.width - this.left - 8); }
  y(value) { return this.bottom - Math.log(value / this.ys[0]) / Math.log(this.ys[1] / this.ys[0]) * (this.bottom - 10); }
  draw() {
    if (!this.canvas.isConnected) return;
    paint(this.canvas, 210, (context, width, height) => {
      Object.assign(this, { width, left: 50, bottom: height - 20 });
      const paints = colors();
      if (this.points.length === 0) {
        context.fillStyle = paints.quiet;
        context.fillText(say('nothing_here'), 12, 24);
        return;
      }
      [this.xs, this.ys] = this.bounds();
      context.fillStyle = paints.grid;
      const decades = ([low, high]) => Array.from({ length: Math.round(Math.log10(high / low)) + 1 }, (_, k) => low * 10 ** k);
      for (const at of decades(this.xs)) context.fillRect(this.x(at), 10, 1, this.bottom - 10);
      for (const at of decades(this.ys)) context.fillRect(this.left, this.y(at), width - this.left - 8, 1);
      context.fillStyle = paints.quiet;
      for (const at of decades(this.xs)) {
        context.textAlign = at === this.xs[1] ? 'right' : 'center';
        context.fillText(at.toLocaleString('en-US', { notation: 'compact', maximumSignificantDigits: 3 }), this.x(at), height - 5);
      }
      context.textAlign = 'right';
      for (const at of decades(this.ys)) context.fillText(digits(at), this.left - 5, Math.max(12, this.y(at) + 4));
      context.textAlign = 'left';
      this.drawRoofs(context, paints);
      context.fillStyle = paints[this.color];
      for (const [x, y] of this.points) this.dot(context, x, y, 3);
      const chosen = this.points.find(([, , command]) => command === this.chosen);
      if (chosen) {
        context.fillStyle = paints.chosen;
        this.dot(context, ...chosen, 6);
      }
    });
  }
  drawRoofs(context, paints) {
    context.strokeStyle = context.fillStyle = paints.text;
    context.lineWidth = 1.2;
    let free = Infinity;  // labels do not cover each other
    for (const roof of [...this.roofs].sort((a, b) => a - b)) {
      const y = this.y(roof);
      context.beginPath();
      context.moveTo(this.left, y);
      context.lineTo(this.width - 8, y);
      context.stroke();
      if (free - y < 14) continue;
      context.textAlign = 'right';
      context.fillText(digits(roof), this.width - 10, y - 3);
      context.textAlign = 'left';
      free = y;
    }
    if (!this.diamond || this.slope === 0) return;
    context.save();
    context.beginPath();
    context.rect(this.left, 10, this.width - this.left - 8, this.bottom - 10);
    context.clip();
    context.setLineDash([5, 4]);
    context.beginPath();
    context.moveTo(this.x(this.xs[0]), this.y(this.xs[0] * this.slope));
    context.lineTo(this.x(this.xs[1]), this.y(this.xs[1] * this.slope));
    context.stroke();
    context.restore();
    const [x, y] = [this.x(this.diamond[0]), this.y(this.diamond[1])];
    context.beginPath();
    for (const [dx, dy] of [[0, -6], [6, 0], [0, 6], [-6, 0]]) context.lineTo(x + dx, y + dy);
    context.closePath();
    context.fill();
  }
  dot(context, x, y, radius) {
    context.beginPath();
    context.arc(this.x(x), this.y(y), radius, 0, 7);
    context.fill();
  }
  nearest(x, y) {
    if (this.points.length === 0) return null;
    const off = point => Math.hypot(this.x(point[0]) - x, this.y(point[1]) - y);
    const best = this.points.reduce((a, b) => off(b) < off(a) ? b : a);
    return off(best) < 14 ? best : null;
  }
}

// Those of a launch: of its computation, and of its moves.
function rooflines(chart, pick) {
  const { commands, profile } = chart, all = [...chart.engines.keys()];
  const moved = all.filter(k => moves(chart.engines[k])), work = all.filter(k => chart.engines[k] === 'BDC');
  const operations = profile.lines.reduce((sum, line) => sum + line.operations, 0);
  return [
    ['compute_chart', 'compute_note', new Roofline(say('compute_chart'), {
      points: work.map(k => [commands.operations[k] / commands.operand_bytes[k], chart.rate(k), k]),
      roofs: work.map(k => commands.peak[k]), slope: chart.run.read_gbps, color: 'bdc',
      diamond: profile.operations_per_byte > 0 ? [profile.operations_per_byte, operations / profile.modelled_us / 1e3] : null }, pick)],
    ['move_chart', 'move_note', new Roofline(say('move_chart'), {
      points: moved.map(k => [commands.bytes[k], chart.rate(k), k]), roofs: moved.map(k => commands.peak[k]), color: 'gdma' }, pick)],
  ];
}
