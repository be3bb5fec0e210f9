"""A verdict as a page: one HTML file without links, light or dark as the reader has it."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from .sizes import size_text
from .texts import tr

if TYPE_CHECKING:
    from .verdict import Verdict

_STYLE = """
:root{color-scheme:light dark;--ink:#1b1f24;--paper:#fff;--soft:#f3f4f6;--line:#d5d9de;
--right:#136f2d;--wrong:#b3261e;--unknown:#7a5400}
@media (prefers-color-scheme:dark){:root{--ink:#e6e8ea;--paper:#15181b;--soft:#20252a;--line:#3a4148;
--right:#5fd17e;--wrong:#ff8a80;--unknown:#f2c14e}}
body{font:16px/1.5 sans-serif;margin:2em auto;max-width:60em;padding:0 1em;color:var(--ink);
background:var(--paper)}
pre{background:var(--soft);padding:.8em;overflow-x:auto;font-size:14px}
table{border-collapse:collapse}th,td{text-align:left;vertical-align:top;padding:.3em 1em .3em 0;
border-bottom:1px solid var(--line)}h1 b{text-transform:capitalize}
.right{color:var(--right)}.wrong{color:var(--wrong)}.unknown{color:var(--unknown)}
"""


def page_of(verdict: Verdict) -> str:
    """The page."""
    title = tr("{}: {} on {}, {}", tr(verdict.verdict), verdict.kernel, verdict.chip, verdict.sizes)
    word, rest = tr(verdict.verdict), f"{verdict.kernel}, {verdict.chip}"
    parts = [f'<h1><b class="{verdict.verdict}">{escape(word)}</b> {escape(rest)}</h1>',
             f"<p>{escape(verdict.sizes)}</p>"]
    for failure in verdict.failures:
        at = size_text(failure.point) + (f", {failure.order}" if failure.order else "")
        parts += [f"<h2>{escape(tr('fails at {}', at))}</h2>",
                  f"<p>{escape(failure.message)}</p><pre>{escape(failure.text)}</pre>"]
    if verdict.why:
        parts.append(f"<details open><summary>why</summary><pre>{escape(verdict.why)}</pre></details>")
    parts.append(_table(verdict.rows()))
    language = tr("en")
    return (f'<!DOCTYPE html><html lang="{language}"><head><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>{escape(title)}</title>'
            f"<style>{_STYLE}</style></head><body>{''.join(parts)}</body></html>\n")


def _table(rows: list[tuple[str, str]]) -> str:
    said = "".join(f"<tr><th>{escape(label)}</th><td>{escape(text)}</td></tr>"
                   for label, text in rows)
    return f"<table>{said}</table>"


