"""Where the time of a launch goes, by the timing model of its chip. Nothing here is measured."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Sequence

from . import pictures
from .records import Record, said_of, said_of_all

if TYPE_CHECKING:
    from .launch import Launch


@dataclass(frozen=True)
class Reason:
    """Why a launch takes as long as it does: what, where, and what helps. ``alone_us`` is what the
    remedy wins by itself, ``lost_us`` what it wins on top of the reasons before it; both are 0
    where there is none and the line runs at its peak. ``busy_us`` is the time of that line."""

    what: str
    busy_us: float
    lost_us: float
    at: str
    help: str
    alone_us: float = 0.0


class Time:
    """The modelled time of a launch. ``str()`` is the text of `tensorlane run --time`.

    ``details`` has everything per source line, as `tensorlane run --profile` writes it.
    """

    def __init__(self, record: Record):
        self._record = record

    @cached_property
    def details(self) -> dict[str, Any]:
        return json.loads(said_of(self._record, "profile"))

    @property
    def us(self) -> float:
        """Of the kernel, in microseconds."""
        return self._record.us

    @property
    def us_at_most(self) -> float:
        """The same where what issuing a command costs is unknown: at most."""
        return self._record.us_at_most

    @property
    def host_us(self) -> float:
        """Of the launch as the host sees it, in microseconds."""
        return self.details["modelled_host_us"]

    @property
    def bound_by(self) -> str:
        """What would win most if it cost nothing: "GDMA", "BDC", "HAU", "SDMA" or "issue"."""
        return self.details["bound_by"]

    @property
    def reasons(self) -> list[Reason]:
        """What remedies win, the largest first; then the line that bounds the launch."""
        return [Reason(each["what"], each["busy_us"], each["lost_us"], each["at"], each["help"],
                       each["alone_us"])
                for each in self.details["why"]]

    def __str__(self) -> str:
        return said_of(self._record, "time_text")

    def __repr__(self) -> str:
        return f"<Time {self.us:.2f} us, bound by {self.bound_by}>"


@dataclass(frozen=True)
class Command:
    """A command of a launch: the call, its engine, when it ran, the line that issued it, its core."""

    call: str
    engine: str
    start_us: float
    end_us: float
    region: int
    bytes: int
    file: str
    line: int
    function: str
    core: int = 0


class Timeline:
    """When which engine worked on which command. Notebooks show its picture.

    Of a launch with very many commands the first ones (16384). Without commands where the device
    was opened with ``timeline=False``.
    """

    def __init__(self, record: Record):
        self._record = record

    @cached_property
    def commands(self) -> list[Command]:
        return [Command(**each) for each in json.loads(said_of(self._record, "commands"))]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a trace for ui.perfetto.dev; ``.json`` for chrome://tracing."""
        said_of_all([self._record], "save_trace", os.path.abspath(path))

    def svg(self) -> str:
        """A picture, as SVG: a track per engine of each core."""
        return pictures.timeline_svg(self.commands)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Timeline of {len(self.commands)} commands>"


@dataclass(frozen=True)
class Block:
    """Bytes of every NPU's local memory in use, from ``start_us`` to ``end_us``. ``writer`` and
    ``last_reader`` are numbers of commands of the timeline; None where there is none."""

    begin: int
    end: int
    start_us: float
    end_us: float
    writer: int | None
    last_reader: int | None
    core: int = 0


class MemoryMap:
    """Which bytes of an NPU's local memory are in use over a launch. Notebooks show its picture."""

    def __init__(self, record: Record):
        self._record = record

    @cached_property
    def blocks(self) -> list[Block]:
        return [Block(**row) for row in self._rows]

    @cached_property
    def _rows(self) -> list[dict[str, Any]]:
        return json.loads(said_of(self._record, "local_map"))

    @property
    def peak_bytes(self) -> int:
        """Most bytes of an NPU in use at one time, on any core."""
        peak = 0
        for core in {row["core"] for row in self._rows}:
            rows = [row for row in self._rows if row["core"] == core]
            steps = sorted([(row["start_us"], row["end"] - row["begin"]) for row in rows] +
                           [(row["end_us"], row["begin"] - row["end"]) for row in rows])
            used = 0
            for _, change in steps:
                used += change
                peak = max(peak, used)
        return peak

    def svg(self, core: int = 0) -> str:
        """A picture of the local memory of a core, as SVG: time from left to right, addresses upwards."""
        return pictures.memory_map_svg([block for block in self.blocks if block.core == core],
                                       Timeline(self._record).commands)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<MemoryMap of {len(self.blocks)} blocks, at most {self.peak_bytes} bytes of an NPU>"


def save_trace(path: str | os.PathLike[str], launches: Sequence[Launch]) -> None:
    """Writes the timelines of launches one after the other, as Timeline.save does."""
    said_of_all([launch.wait()._record for launch in launches], "save_trace",
                os.path.abspath(path))


def report_page(launches: Sequence[Launch]) -> str:
    """Launches as a page: times, evidence, timelines, memory maps; one HTML file without links."""
    return said_of_all([launch.wait()._record for launch in launches], "report_page")
