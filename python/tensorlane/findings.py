"""What the checker says: one Finding per defect."""

from __future__ import annotations

import fnmatch
import json
from dataclasses import dataclass, field
from typing import Any, Iterable

from . import _native
from .texts import tr


@dataclass(frozen=True)
class Place:
    """A place in a kernel or in the script.

    ``file`` is empty and ``line`` 0 without debug information; ``place`` is for people
    ("kernel.c:12 in load"), ``source`` the text of the line.
    """

    file: str = ""
    line: int = 0
    function: str = ""
    place: str = ""
    source: str = ""


@dataclass(frozen=True)
class Location(Place):
    """A call that a finding is about.

    ``role`` says what it does there ("reader", "writer"), ``call`` which function it is;
    ``tensors`` are its operands in words, ``callers`` the calls that led there, up to the kernel.
    """

    role: str = ""
    call: str = ""
    tensors: tuple[str, ...] = ()
    callers: tuple[Place, ...] = ()


@dataclass(frozen=True)
class Finding:
    """A defect of a kernel or of its host.

    ``id`` ("TL-RACE-001") is stable, ``severity`` is "error", "warning" or "advice", ``kernel`` the
    one that ran (empty for what is the script's alone). ``count`` says how often it was seen,
    ``consequence_of`` is the id of the finding that it follows from, empty for most;
    ``details`` is all of it as docs/checker-report.schema.json describes.
    """

    id: str
    severity: str
    message: str
    kernel: str = ""
    locations: tuple[Location, ...] = ()
    notes: tuple[str, ...] = ()
    repair: str = ""
    count: int = 1
    consequence_of: str = ""
    details: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def file(self) -> str:
        """Of the first location; empty where nothing is known."""
        return self.locations[0].file if self.locations else ""

    @property
    def line(self) -> int:
        """Of the first location; 0 where nothing is known."""
        return self.locations[0].line if self.locations else 0

    @property
    def call_chain(self) -> tuple[Place, ...]:
        """The call the finding is about and those that led to it, up to the kernel."""
        if not self.locations:
            return ()
        return (self.locations[0], *self.locations[0].callers)

    def explain(self) -> str:
        """The page on this kind of defect, with a faulty and a repaired kernel, as Markdown."""
        return explain(self.id)

    def __str__(self) -> str:
        severity = tr(self.severity)
        lines = [f"{severity} {self.id}: {self.message}".replace(" :", ":")]
        for location in self.locations:
            place = location.place
            if location.call:
                place = tr("{} at {}", location.call, place)
            lines.append(_line(location.role, place))
            if location.source:
                lines.append(f"      {location.line:>5} | {location.source.strip()}")
            lines.extend(f"           {tensor}" for tensor in location.tensors)
            lines.extend(_line("from", caller.place) for caller in location.callers)
        lines.extend(f"  {note}" for note in self.notes)
        if self.repair:
            lines.append(_line("repair", self.repair))
        for launches in self.details.get("launches", []):
            first, last = launches["first"], launches["last"]
            numbers = f"{first}" if first == last else tr("{} to {}", first, last)
            host = launches["host"]["place"]
            where = tr("{} of device {}", numbers, launches["device"])
            if launches.get("cores"):
                cores = _numbers(launches["cores"])
                where += (tr(", on core {} of {}", cores, launches["of_cores"]) if len(launches["cores"]) == 1
                          else tr(", on cores {} of {}", cores, launches["of_cores"]))
            where += tr(", at {}", host)
            lines.append(_line("launch", where))
        return "\n".join(lines)


def _numbers(ascending: list[int]) -> str:
    """``0 to 5, 7``."""
    ends: list[list[int]] = []
    for number in ascending:
        if ends and ends[-1][1] == number - 1:
            ends[-1][1] = number
        else:
            ends.append([number, number])
    return ", ".join(f"{first}" if first == last else tr("{} to {}", first, last) for first, last in ends)


def _line(label: str, text: str) -> str:
    """A line of a finding, as the command line prints it."""
    return "  " + _native.labelled(label, text)


def explain(id: str) -> str:
    """The page on a kind of defect, as Markdown.

    Raises UserError with the nearest id for an unknown one.
    """
    return _native.diagnostic_page(id)


def is_allowed(finding: Finding, allow: Iterable[str]) -> bool:
    """Whether one of the patterns ("TL-LINT-*") names the finding."""
    return _is_named(finding.id, allow)


def is_fault(finding: Finding, allow: Iterable[str]) -> bool:
    """Whether the finding is an error of its own: not allowed, and from no other that is not and
    that is told with it. Who reads on after an earlier error hears of what follows from it, too."""
    cause = finding.details.get("consequence_of") or {}
    follows = cause.get("finding") is not None and not _is_named(finding.consequence_of, allow)
    return finding.severity == "error" and not follows and not is_allowed(finding, allow)


def _is_named(id: str, patterns: Iterable[str]) -> bool:
    return any(fnmatch.fnmatchcase(id, pattern) for pattern in patterns)


def findings_of(text: str) -> list[Finding]:
    """Findings as the native module writes them."""
    return [_finding(each) for each in json.loads(text)] if text else []


def finding_of_failure(text: str) -> Finding:
    """The end of a launch that no checker watched."""
    failure = json.loads(text)
    places = tuple(_place(frame) for frame in failure["frames"])
    locations: tuple[Location, ...] = ()
    if places:
        first = places[0]
        locations = (Location(first.file, first.line, first.function, first.place, "", "call",
                              callers=places[1:]),)
    return Finding(failure.get("id", ""), "error",
                   tr("kernel '{}' ended: {}", failure["kernel"], failure["message"]),
                   failure["kernel"], locations)


def _place(from_: dict[str, Any]) -> Place:
    return Place(from_["file"], from_["line"], from_["function"], from_["place"],
                 from_.get("source", ""))


def _location(from_: dict[str, Any]) -> Location:
    return Location(from_["file"], from_["line"], from_["function"], from_["place"],
                    from_["source"], from_["role"], from_["call"], tuple(from_["tensors"]),
                    tuple(_place(caller) for caller in from_["callers"]))


def _finding(from_: dict[str, Any]) -> Finding:
    return Finding(from_["id"], from_["severity"], from_["message"], from_["kernel"] or "",
                   tuple(_location(each) for each in from_["locations"]), tuple(from_["notes"]),
                   from_["repair"], from_["count"], (from_["consequence_of"] or {}).get("id", ""),
                   from_)
