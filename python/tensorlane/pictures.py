"""Pictures of launches and of searches, as SVG that stands alone."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Sequence

from .texts import tr

if TYPE_CHECKING:
    from .timing import Block, Command

_WIDTH, _LEFT, _RIGHT = 900, 80, 20
_COLOURS = {"GDMA": "#4878a8", "SDMA": "#2f8f88", "BDC": "#c8782a", "HAU": "#6a9a4a"}
# On a dark ground light and dark change places and hues stay, as in the pictures of layouts.
_STYLE = ("<style>.tensorlane text{font:12px sans-serif;fill:#333} @media (prefers-color-scheme: dark) "
          "{ .tensorlane { filter: invert(0.87) hue-rotate(180deg) } }</style>")


def timeline_svg(commands: Sequence[Command]) -> str:
    """A track per engine of each core; pointing at a box names the call and its line."""
    used = {(command.core, command.engine) for command in commands}
    tracks = [(core, engine) for core in sorted({core for core, _ in used}) for engine in _COLOURS
              if (core, engine) in used]
    several = any(core > 0 for core, _ in tracks)
    end = max((command.end_us for command in commands), default=0.0)
    track, top = 34, 10
    parts = []
    for row, (core, engine) in enumerate(tracks):
        y = top + row * track
        name = f"{core}: {engine}" if several else engine
        parts.append(f'<text x="8" y="{y + 18}">{name}</text>')
        for command in commands:
            if (command.core, command.engine) != (core, engine):
                continue
            box = _span(command.start_us, command.end_us, end)
            parts.append(f'<rect {box} y="{y}" height="{track - 8}" fill="{_COLOURS[engine]}" '
                         f'data-engine="{engine}"><title>{_title(command)}</title></rect>')
    height = top + len(tracks) * track
    return _svg(height + 30, parts + _axis(height, end))


def memory_map_svg(blocks: Sequence[Block], commands: Sequence[Command]) -> str:
    """Time from left to right, byte offsets of an NPU upwards; a box per block."""
    end = max((block.end_us for block in blocks), default=0.0)
    most = max((block.end for block in blocks), default=1)
    height, top = 260, 10
    parts = [f'<text x="8" y="{top + 10}">{most:#x}</text>', f'<text x="8" y="{height}">0x0</text>']
    for block in blocks:
        y = top + (height - top) * (1 - block.end / most)
        tall = max(1.0, (height - top) * (block.end - block.begin) / most)
        writer = commands[block.writer] if block.writer is not None else None
        colour = _COLOURS[writer.engine] if writer is not None else "#aaa"
        where = escape(tr("{:#x} to {:#x}, {} bytes", block.begin, block.end,
                          block.end - block.begin))
        said = (_title(writer) if writer is not None else
                escape(tr("not written in this launch")))
        parts.append(
            f'<rect {_span(block.start_us, block.end_us, end)} y="{y:.1f}" height="{tall:.1f}" '
            f'fill="{colour}" fill-opacity="0.7" stroke="#fff"><title>{where}: {said}</title></rect>')
    return _svg(height + 30, parts + _axis(height, end))


def _title(command: Command) -> str:
    times = command.call, command.start_us, command.end_us
    return escape(tr("{}, {:.2f} to {:.2f} us", *times) if not command.file else
                  tr("{0} at {3}:{4}, {1:.2f} to {2:.2f} us", *times, command.file, command.line))


def _x(us: float, end: float) -> float:
    return _LEFT + (_WIDTH - _LEFT - _RIGHT) * (us / end if end > 0 else 0)


def _span(start: float, stop: float, end: float) -> str:
    x = _x(start, end)
    return f'x="{x:.1f}" width="{max(0.5, _x(stop, end) - x):.1f}"'


def _axis(y: float, end: float, unit: str = "us") -> list[str]:
    parts = [f'<line x1="{_LEFT}" x2="{_WIDTH - _RIGHT}" y1="{y}" y2="{y}" stroke="#888"/>']
    for step in range(5):
        at = end * step / 4
        parts.append(f'<text x="{_x(at, end):.1f}" y="{y + 16}" text-anchor="middle">{at:.4g} '
                     f'{unit}</text>')
    return parts


def _svg(height: float, parts: list[str]) -> str:
    return (f'<svg xmlns="http://www.w3.org/2000/svg" class="tensorlane" viewBox="0 0 {_WIDTH} {height:.0f}" '
            f'width="{_WIDTH}" height="{height:.0f}">{_STYLE}<rect width="{_WIDTH}" height="{height:.0f}" '
            f'fill="#ffffff"/>{"".join(parts)}</svg>')


def pareto_svg(points: Sequence[tuple[int, float, str, bool]]) -> str:
    """Local memory from left to right, time upwards, both from 0; a dot per point of bytes, us,
    what it is and whether none is better in both, and a line through these."""
    most = max((point[0] for point in points), default=0)
    slowest = max((point[1] for point in points), default=0.0)
    height, top = 320, 20
    parts = [f'<text x="8" y="{top + 4}">{slowest:.4g} us</text>',
             f'<text x="8" y="{height}">0</text>']

    def place(of: int, us: float) -> tuple[float, float]:
        share = us / slowest if slowest > 0 else 0
        return _x(of, most), height - (height - top) * share

    best = sorted(point[:2] for point in points if point[3])
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in (place(*each) for each in best))
    parts.append(f'<polyline points="{line}" fill="none" stroke="{_COLOURS["BDC"]}"/>')
    for of, us, said, good in points:
        x, y = place(of, us)
        colour = _COLOURS["BDC" if good else "GDMA"]
        parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"><title>'
                     f'{escape(said)}</title></circle>')
    return _svg(height + 30, parts + _axis(height, most, tr("bytes of an NPU")))
