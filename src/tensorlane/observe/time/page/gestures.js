// Mouse, touch and keys of a timeline.

const hint = make('div', { class: 'tip', hidden: '' });

Timeline.prototype.listen = function () {
  const { canvas, view } = this, held = new Map();
  let moved = 0;
  const local = event => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  const drawable = () => this.width - this.left;
  canvas.addEventListener('wheel', event => {
    event.preventDefault();
    if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) view.move(event.deltaX / drawable());
    else view.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.us(local(event)[0]));
  }, { passive: false });
  canvas.addEventListener('pointerdown', event => {
    held.set(event.pointerId, local(event));
    if (held.size === 1) moved = 0;
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener('pointermove', event => {
    const [x, y] = local(event), before = held.get(event.pointerId);
    if (!before) return this.hover(event, this.at(x, y));
    const others = [...held].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
    held.set(event.pointerId, [x, y]);
    if (others.length === 0) {
      moved += Math.abs(x - before[0]);
      if (moved > 4) view.move((before[0] - x) / drawable());
    } else {  // two fingers: what lies between them stays there
      moved += 5;
      const gap = Math.abs(x - others[0][0]), was = Math.abs(before[0] - others[0][0]);
      if (gap > 10 && was > 10) view.zoom(was / gap, this.us((x + others[0][0]) / 2));
    }
    hint.hidden = true;
  });
  const release = event => {
    if (!held.delete(event.pointerId) || held.size > 0 || moved > 4 || event.type === 'pointercancel') return;
    const found = this.at(...local(event));
    this.pick(found?.command ?? null, found?.block ?? null);
  };
  canvas.addEventListener('pointerup', release);
  canvas.addEventListener('pointercancel', release);
  canvas.addEventListener('pointerleave', () => { hint.hidden = true; });
  canvas.addEventListener('dblclick', () => view.set(0, view.whole));
  const keys = {
    '+': () => view.zoom(0.5), '=': () => view.zoom(0.5), '-': () => view.zoom(2), '0': () => view.set(0, view.whole),
    Home: () => view.set(0, view.width), End: () => view.set(view.whole, view.width),
    ArrowLeft: () => view.move(-0.2), ArrowRight: () => view.move(0.2), n: () => this.step(1), p: () => this.step(-1),
  };
  canvas.addEventListener('keydown', event => {
    if (event.ctrlKey || event.altKey || event.metaKey || !(event.key in keys)) return;
    event.preventDefault();
    keys[event.key]();
  });
};

Timeline.prototype.hover = function (event, found) {
  hint.hidden = found === null || event.pointerType === 'touch';
  if (hint.hidden) return;
  hint.textContent = this.tip(found);
  const left = Math.min(event.clientX + 12, window.innerWidth - hint.offsetWidth - 8);
  hint.style.left = Math.max(4, left) + 'px';
  hint.style.top = event.clientY + (event.clientY + 60 > window.innerHeight ? -hint.offsetHeight - 10 : 16) + 'px';
};
