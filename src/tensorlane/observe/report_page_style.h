// Style and script of the report page, apart from the code that fills it.
#ifndef TENSORLANE_OBSERVE_REPORT_PAGE_STYLE_H_
#define TENSORLANE_OBSERVE_REPORT_PAGE_STYLE_H_

#include <string_view>

namespace tensorlane::observe {

inline constexpr std::string_view kPageStyle = R"(
:root { color-scheme: light dark; --page: #fff; --text: #222; --faint: #8886; --gdma: #2f7ebc;
  --bdc: #d9822b; --hau: #5b9a4a; --issue: #7a7a7a; }
@media (prefers-color-scheme: dark) {
  :root { --page: #16181c; --text: #ddd; --gdma: #5aa7e0; --bdc: #f0a351; --hau: #83c271;
    --issue: #9a9a9a; } }
body { background: var(--page); color: var(--text); font: 15px/1.45 system-ui, sans-serif;
  margin: 1.5rem auto; max-width: 1280px; padding: 0 1rem; }
table { border-collapse: collapse; margin: .6rem 0; }
th, td { border-bottom: 1px solid var(--faint); padding: .15rem .7rem; text-align: left; }
.figures { display: inline-table; vertical-align: top; margin-right: 2rem; }
.chart { display: flex; margin: .4rem 0; border: 1px solid var(--faint); }
.labels { width: 5.5rem; flex: none; display: flex; flex-direction: column;
  justify-content: space-between; font-size: 13px; padding: 3px 6px; box-sizing: border-box; }
.chart svg { flex: 1; display: block; min-width: 0; cursor: grab; }
rect { vector-effect: non-scaling-stroke; stroke: var(--page); stroke-width: .6; }
.gdma { fill: var(--gdma); } .bdc { fill: var(--bdc); } .hau { fill: var(--hau); }
.issue, .old { fill: var(--issue); }
rect:hover { opacity: .65; }
.bank { stroke: var(--faint); vector-effect: non-scaling-stroke; }
.axis { margin: 0 0 1rem 5.5rem; font-size: 13px; }
.chain { margin-left: 5.5rem; } .chain ul { margin: 0; padding-left: 1.4rem; }
rect[data-command] { cursor: pointer; } rect.chosen { stroke: var(--text); stroke-width: 2; }
)";

inline constexpr std::string_view kPageScript = R"(
for (const view of document.querySelectorAll('.view')) {
  const charts = [...view.querySelectorAll('svg')], whole = 10000, us = Number(view.dataset.us);
  let start = 0, width = whole, held = null;
  // A list of the writer of a block and, inside of it, of those that it read from. A command that
  // was listed before is only named again.
  const { labels, commands } = JSON.parse(view.querySelector('.chains').textContent);
  const explain = box => {
    for (const other of view.querySelectorAll('.chosen')) other.classList.remove('chosen');
    box.classList.add('chosen');
    const listed = new Set();
    const list = (numbers, depth) => {
      const items = document.createElement('ul');
      for (const number of numbers) {
        const item = items.appendChild(document.createElement('li'));
        const [label, ...sources] = commands[number];
        const again = listed.has(number);
        item.textContent = '#' + number + ' ' + labels[label] + (again ? ' (see above)' : '');
        if (again || sources.length === 0) continue;
        listed.add(number);
        if (depth < 32) item.appendChild(list(sources, depth + 1));
      }
      return items;
    };
    view.querySelector('.chain').replaceChildren(list([Number(box.dataset.command)], 0));
  };
  const show = () => {
    width = Math.min(whole, Math.max(whole / 2000, width));
    start = Math.min(whole - width, Math.max(0, start));
    for (const chart of charts)
      chart.setAttribute('viewBox', [start, 0, width, chart.viewBox.baseVal.height].join(' '));
    const at = x => (x / whole * us).toFixed(width < whole / 10 ? 3 : 1);
    view.querySelector('.axis').textContent = at(start) + ' to ' + at(start + width) + ' us';
  };
  for (const chart of charts) {
    const share = event => {
      const box = chart.getBoundingClientRect();
      return (event.clientX - box.left) / box.width;
    };
    chart.addEventListener('wheel', event => {
      event.preventDefault();
      const fixed = start + share(event) * width;
      width *= event.deltaY > 0 ? 1.25 : 0.8;
      width = Math.min(whole, width);
      start = fixed - share(event) * width;
      show();
    }, { passive: false });
    chart.addEventListener('pointerdown', event => { held = event.clientX; });
    chart.addEventListener('pointermove', event => {
      if (held === null || event.buttons === 0) return;
      start -= (event.clientX - held) / chart.clientWidth * width;
      held = event.clientX;
      show();
    });
    for (const box of chart.querySelectorAll('rect[data-command]'))
      box.addEventListener('click', () => explain(box));
    chart.addEventListener('dblclick', () => { start = 0; width = whole; show(); });
  }
}
)";

}  // namespace tensorlane::observe

#endif  // TENSORLANE_OBSERVE_REPORT_PAGE_STYLE_H_
