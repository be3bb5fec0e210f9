'use strict';
// The playground: a form, the picture that the toolkit draws for it, and an address that holds both. layouts.js is the toolkit,
// which scripts/playground.sh builds; what it is asked and answers stands in playground/playground.cc.

(() => {
  const texts = {
    en: {
      chip: 'chip', layout: 'layout', dtype: 'element type', start: 'start NPU', columns: 'columns per channel', strides: 'strides', npus: 'NPUs',
      find: 'find element', to: 'beside it', alone: '(nothing)', animate: 'as a copy', loading: 'The toolkit is loading …', at_npu: 'NPU {0}, offset {1}, bank {2}', at_pixel: 'pixel ({0}, {1}), lane {2}', at_offset: 'offset {0}',
      bytes: '{0} bytes in all', per_npu: '{0} bytes per NPU', strides_are: 'strides {0}', call: 'in a kernel: {0}', same: 'The same on the command line:',
      share: 'The address of this page holds what you chose: copy it to share it.', picture: 'Picture of the layout',
      missing: 'This site was built without emscripten, so the playground is not here. The command line draws the same: tensorlane layout draw.',
    },
    zh: {
      chip: '芯片', layout: '布局', dtype: '数据类型', start: '起始 NPU', columns: '每个通道的列数', strides: '步长', npus: 'NPU 数',
      find: '查找元素', to: '并排的布局', alone: '（无）', animate: '演示复制', loading: '正在加载 …', at_npu: 'NPU {0}，偏移 {1}，bank {2}', at_pixel: '像素 ({0}, {1})，分量 {2}', at_offset: '偏移 {0}',
      bytes: '共 {0} 字节', per_npu: '每个 NPU {0} 字节', strides_are: '步长 {0}', call: '在 kernel 里：{0}', same: '命令行上同样的图：',
      share: '本页的网址包含所选的内容，复制即可分享。', picture: '布局图',
      missing: '生成本站时没有 emscripten，所以这里没有演示。命令行画出同样的图：tensorlane layout draw。',
    },
  };
  const language = document.documentElement.lang.startsWith('zh') || location.pathname.includes('/zh/') ? 'zh' : 'en';
  const say = (name, ...values) => texts[language][name].replace(/\{(\d)\}/g, (_, at) => values[at]);
  const place = document.getElementById('layout-playground'), folder = document.currentScript.src.replace(/[^/]*$/, '');

  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === 'function') element.addEventListener(name, value); else element.setAttribute(name, value);
    }
    element.append(...children);
    return element;
  }

  // What is chosen; the address of the page after '#'.
  const first = { chip: 'bm1684', layout: 'aligned', dtype: 'fp32', shape: '2,3,4,5', start: '0', columns: '', strides: '', npus: '', find: '', to: '', animate: '' };
  let chosen = { ...first }, owners = [], ask = null;
  const form = make('form', { submit: event => event.preventDefault() }), said = make('p', { class: 'said', 'aria-live': 'polite' });
  const picture = make('div', { class: 'picture', role: 'img', 'aria-label': say('picture') }), facts = make('div');

  const owner = () => owners.find(each => each.name === chosen.chip);
  const info = () => owner().layouts.find(each => each.name === chosen.layout);
  const integers = text => text.split(/[,x\s]+/).filter(Boolean).map(Number);

  // What of an address can be used; the rest is as in the beginning.
  function read() {
    chosen = { ...first, ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) };
    if (!owner()) chosen.chip = first.chip;
    if (!info()) chosen.layout = owner().layouts[0].name;
    if (!info().dtypes.includes(chosen.dtype)) chosen.dtype = info().dtypes[0];
    const extents = integers(chosen.shape), rank = info().axes.length;
    while (extents.length < rank) extents.push(4);
    chosen.shape = extents.slice(0, rank).join(',');
    if (!others().includes(chosen.to)) chosen.to = '';
  }
  // Layouts that the same tensor can have too: those whose axes are its own in any order, and matrices.
  function others() {
    const axes = [...info().axes].sort().join();
    return ['', ...owners.flatMap(each => each.layouts.filter(layout => layout.dtypes.includes(chosen.dtype) && !layout.strides
      && !layout.winograd && ([...layout.axes].sort().join() === axes || (axes.length > 3 && layout.axes.join() === 'row,col')))
      .map(layout => `${each.name}:${layout.name}`))];
  }
  function write() {
    const kept = Object.entries(chosen).filter(([name, value]) => value !== '' && (name in first));
    history.replaceState(null, '', '#' + kept.map(([name, value]) => `${name}=${encodeURIComponent(value).replaceAll('%2C', ',')}`).join('&'));
  }
  const takesColumns = () => info().axes.some(axis => axis.startsWith('col'));

  function request(what, more = {}) {
    const asked = { do: what, chip: chosen.chip, layout: chosen.layout, dtype: chosen.dtype, shape: integers(chosen.shape), ...more };
    if (owner().npus > 0) Object.assign(asked, { start_npu: Number(chosen.start) || 0 }, chosen.npus ? { npus: Number(chosen.npus) } : {});
    if (takesColumns()) asked.columns = Number(chosen.columns) || 8;
    if (info().strides && chosen.strides) asked.strides = integers(chosen.strides);
    return ask(asked);
  }
  function commandLine() {
    const more = chosen.to ? [`--to ${chosen.to}`, ...(chosen.to.endsWith(':matrix') ? ['--to-cols-per-channel 8'] : []),
      ...(chosen.find ? [`--way ${integers(chosen.find).join(',')}`] : []), ...(chosen.animate ? ['--animate'] : [])] : [];
    const words = ['tensorlane layout draw --svg', `--chip ${chosen.chip}`, `--layout ${chosen.layout}`, `--dtype ${chosen.dtype}`, `--shape ${chosen.shape}`];
    if (owner().npus > 0 && Number(chosen.start)) words.push(`--start-npu ${chosen.start}`);
    if (owner().npus > 0 && chosen.npus) words.push(`--npus ${chosen.npus}`);
    if (takesColumns()) words.push(`--cols-per-channel ${Number(chosen.columns) || 8}`);
    if (info().strides && chosen.strides) words.push(`--strides ${chosen.strides}`);
    return [...words, ...more].join(' ');
  }

  function field(name, control, wide) {
    return make('label', wide ? { class: 'wide' } : {}, say(name), control);
  }
  const choose = (name, options) => {
    const select = make('select', { name, change: () => { chosen[name] = select.value; changed(); } }, ...options.map(option => make('option', { value: option }, option)));
    select.value = chosen[name];
    return field(name, select);
  };
  const enter = (name, attributes, wide) => {
    const input = make('input', { name, value: chosen[name], ...attributes, input: () => { chosen[name] = input.value.trim(); draw(); } });
    return field(name, input, wide);
  };
  function extent(axis, at) {
    const input = make('input', { type: 'number', min: 1, name: 'extent' + at, value: integers(chosen.shape)[at], input: () => {
      const extents = integers(chosen.shape);
      extents[at] = Number(input.value);
      chosen.shape = extents.join(',');
      draw();
    } });
    return make('label', {}, axis, input);
  }
  function fill() {
    const chip = owner().npus > 0;
    form.replaceChildren(choose('chip', owners.map(each => each.name)), choose('layout', owner().layouts.map(each => each.name)),
      choose('dtype', info().dtypes), ...info().axes.map(extent),
      ...(chip ? [enter('start', { type: 'number', min: 0 }), enter('npus', { type: 'number', min: 1, placeholder: owner().npus })] : []),
      ...(takesColumns() ? [enter('columns', { type: 'number', min: 1, placeholder: 8 })] : []),
      ...(info().strides ? [enter('strides', { placeholder: '60,20,5,1' }, true)] : []),
      enter('find', { placeholder: info().axes.join(',') }, true), beside(), ...(chosen.to ? [copying()] : []));
  }
  function beside() {
    const select = make('select', { name: 'to', change: () => { chosen.to = select.value; changed(); } },
      ...others().map(name => make('option', { value: name }, name || say('alone'))));
    select.value = chosen.to;
    return field('to', select);
  }
  function copying() {
    const box = make('input', { type: 'checkbox', name: 'animate', change: () => { chosen.animate = box.checked ? '1' : ''; draw(); } });
    box.checked = chosen.animate !== '';
    return field('animate', box);
  }

  // The cell of a place, in the drawing.
  const cellOf = at => 'x' in at ? `${at.x}:${at.y}:${at.lane}` : 'npu' in at ? `${at.npu}:${Math.floor(at.offset / 4)}` : null;
  const textOf = at => 'x' in at ? say('at_pixel', at.x, at.y, at.lane) : 'npu' in at ? say('at_npu', at.npu, at.offset, at.bank) : say('at_offset', at.offset);

  function find() {
    for (const cell of picture.querySelectorAll('.found')) cell.classList.remove('found');
    said.textContent = '';
    if (chosen.find === '') return;
    const at = request('place', { index: integers(chosen.find) });
    said.textContent = at.error ?? `${info().axes.join(',')} = ${integers(chosen.find).join(',')}: ${textOf(at)}`;
    const cell = at.error ? null : cellOf(at);
    if (cell) for (const shape of picture.querySelectorAll(`[data-at="${cell}"]`)) shape.classList.add('found');
  }
  function draw() {
    write();
    let drawn = request('draw');
    if (chosen.to && !drawn.error) {
      const [chip, layout] = chosen.to.split(':');
      const both = request('ways', { to: { chip, layout, ...(layout === 'matrix' ? { columns: 8 } : {}) }, animate: chosen.animate !== '',
        ...(chosen.find ? { way: integers(chosen.find) } : {}) });
      drawn = both.error ? both : { ...drawn, svg: both.svg };
    }
    facts.replaceChildren();
    picture.hidden = 'error' in drawn;
    if (drawn.error) {
      facts.append(make('p', { class: 'wrong' }, drawn.error));
      said.textContent = '';
      return;
    }
    picture.innerHTML = drawn.svg;
    const parts = [language === 'zh' ? drawn.summary_zh : drawn.summary, drawn.rule];
    if (drawn.kind === 'local') parts.push(say('per_npu', drawn.bytes_per_npu));
    parts.push(say('bytes', drawn.bytes));
    if (drawn.strides.length > 0) parts.push(say('strides_are', drawn.strides.join(', ')));
    if (drawn.strides_call) parts.push(say('call', drawn.strides_call));
    facts.append(make('p', {}, parts.join(' · ')), make('p', {}, say('same'), ' ', make('code', {}, commandLine())), make('p', {}, say('share')));
    find();
  }
  function changed() {
    write();
    read();
    fill();
    draw();
  }

  // The drawing itself says what each cell holds and where that lies.
  const point = event => {
    const shape = event.target.closest('[data-at], [data-element], [data-from], [data-to]');
    const title = shape?.querySelector('title') ?? shape?.closest('g')?.querySelector('title');  // of a word
    if (title) said.textContent = title.textContent;
  };
  picture.addEventListener('pointerover', point);
  picture.addEventListener('click', point);

  place.append(make('p', {}, say('loading')));
  const toolkit = make('script', { src: folder + 'layouts.js' });
  toolkit.onerror = () => place.replaceChildren(make('p', { class: 'wrong' }, say('missing')));
  toolkit.onload = async () => {
    const module = await tensorlaneLayouts();
    ask = asked => JSON.parse(module.ccall('tensorlane_layouts', 'string', ['string'], [JSON.stringify({ lang: language, ...asked })]));
    owners = ask({ do: 'list' }).owners;
    place.replaceChildren(form, picture, said, facts);
    window.addEventListener('hashchange', () => { read(); fill(); draw(); });
    read();
    fill();
    draw();
    window.tensorlanePlayground = ask;
  };
  document.head.append(toolkit);
})();
