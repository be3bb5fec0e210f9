"""What a verification says: right, wrong or unknown, and on what grounds."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from html import escape
from typing import Any

from .accuracy import proposed_tolerance
from .kernel_runs import Failure
from .sizes import size_text
from .texts import msg, padded, tr
from .verdict_page import page_of

# What tr() gets of variables below.
_WORDS = (msg("right"), msg("wrong"), msg("unknown"), msg("as issued"))
SCHEMA, VERSION = "tensorlane.verify", 1
# For continuous integration; 2 is what cannot be done.
EXIT_STATUS = {"right": 0, "wrong": 1, "unknown": 3}


@dataclass
class Verdict:
    """The answer of verify(). ``str()`` is a text for people, ``json()`` one for programs.

    ``verdict`` is "right", "wrong" or "unknown" (time ended before everything was tried);
    ``failures`` one per cause, each at the smallest sizes that show it. ``proof`` says of how many
    sizes all that does not depend on values was checked, and whether of all; ``exact`` at how many
    the results were compared, in which ``orders`` of copies and cores. ``accuracy`` has the worst of each
    result, ``evidence`` what the functions of the kernel rest on, ``time`` the modelled time at the
    largest sizes that were compared.
    """

    verdict: str
    chip: str
    kernel: str
    sizes: str
    failures: list[Failure] = field(default_factory=list)
    smallest: bool = False
    proof: dict[str, Any] = field(default_factory=dict)
    exact: dict[str, Any] = field(default_factory=dict)
    accuracy: dict[str, dict[str, Any]] = field(default_factory=dict)
    tolerance: str | None = None
    evidence: dict[str, list[str]] = field(default_factory=dict)
    time: dict[str, Any] = field(default_factory=dict)
    why: str = ""

    def __bool__(self) -> bool:
        """Whether the kernel is right."""
        return self.verdict == "right"

    @property
    def exit_status(self) -> int:
        """0 right, 1 wrong, 3 unknown."""
        return EXIT_STATUS[self.verdict]

    @property
    def proposed_tolerance(self) -> str:
        """Of all results, by their worst error."""
        worst = max((each["relative"] for each in self.accuracy.values()), default=0.0)
        return proposed_tolerance(worst)

    def json(self) -> dict[str, Any]:
        """All of it; ``schema`` and ``version`` tell programs what to expect."""
        return {
            "schema": SCHEMA, "version": VERSION, "verdict": self.verdict, "chip": self.chip,
            "kernel": self.kernel, "sizes": self.sizes,
            "failures": [{
                "kind": each.kind, "id": each.id, "message": each.message, "sizes": each.point,
                "order": each.order or "as issued", "place": each.place, "line": each.line,
                "output": each.output, "index": list(each.index), "blame": each.blame,
                "text": each.text} for each in self.failures],
            "smallest": self.smallest, "proof": self.proof, "exact": self.exact,
            "accuracy": self.accuracy, "tolerance": self.tolerance,
            "proposed_tolerance": self.proposed_tolerance if self.accuracy else None,
            "evidence": self.evidence, "time": self.time, "why": self.why}

    def save(self, path: Any) -> None:
        """Writes it as JSON."""
        with open(path, "w", encoding="utf-8") as file:
            json.dump(self.json(), file, indent=1, ensure_ascii=False)
            file.write("\n")

    def __str__(self) -> str:
        lines = [tr("{}: {} on {}, {}", tr(self.verdict), self.kernel, self.chip, self.sizes)]
        for failure in self.failures:
            at = size_text(failure.point) + (f", {failure.order}" if failure.order else "")
            lines.append(tr("fails at {}", at) + self._how_small())
            lines += [f"  {line}" for line in
                      [failure.message if failure.kind == "numbers" else "",
                       *failure.text.splitlines()] if line]
        if self.why:  # where it is and the lines that made it; the chain is in the JSON
            lines.append(tr("the first wrong value: {}", ", ".join(self.why.splitlines()[:2])))
        lines += [_row(label, text) for label, text in self.rows()]
        return "\n".join(lines)

    def rows(self) -> list[tuple[str, str]]:
        """On what grounds, line by line: a label and a text."""
        rows = [(tr("checked"), self._proof_text()), (tr("compared"), self._exact_text())]
        for name, each in self.accuracy.items():
            rows.append((tr("worst error"), _accuracy_text(name, each)))
        if self.accuracy and self.tolerance is None and not self.failures:
            rows.append((tr("tolerance"), tr("none was given; {} is twice the worst error",
                                             self.proposed_tolerance)))
        for kind, functions in self.evidence.items():
            rows.append((tr("evidence"), f"{tr(kind)}: {', '.join(functions)}"))
        if self.time:
            rows.append((tr("time"), self.time["text"]))
            if self.time["next"]:
                rows.append((tr("next"), self.time["next"]))
        return rows

    def page(self) -> str:
        """All of it as a page: one HTML file without links."""
        return page_of(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"

    def __repr__(self) -> str:
        return f"<Verdict {self.verdict} of {self.kernel}>"

    def _how_small(self) -> str:
        return tr(" (no size can be smaller alone)") if self.smallest else ""

    def _proof_text(self) -> str:
        proof = self.proof
        if proof["looks_at_data"]:
            return tr("{} sizes dry; the kernel looks at its data, so no more than these",
                      proof["points"])
        if proof["holds"] == "all":
            return tr("addresses, limits, order of commands and coverage hold at all {} sizes: each "
                      "ran dry", proof["points"])
        return tr("{} of {} sizes ran dry; unknown beyond", proof["points"], proof["of"])

    def _exact_text(self) -> str:
        exact = self.exact
        copies = [each for each in exact["orders"] if not each.startswith("cores ")]
        cores = [each.split(" ", 1)[1] for each in exact["orders"] if each.startswith("cores ")]
        said = tr("{} sizes with the reference, copies {}", exact["points"],
                  ", ".join(tr(each) if each == "as issued" else each for each in copies))
        if cores:
            said += tr("; cores {}", ", ".join([tr("in order"), *cores]))
        if exact["points"] == exact["of"]:
            said += tr("; these are all")
        return said


def _row(label: str, text: str) -> str:
    return f"  {padded(label, 11)} {text}"


def _accuracy_text(name: str, each: dict[str, Any]) -> str:
    said = tr("{}: at most {:.3g} ulp, {:.1e} of the largest magnitude, at {}", name, each["ulp"],
              each["relative"], each["at"])
    if each["rounding"] is not None:
        said += tr("; rounding {:.1e}, the kernel itself {:.1e}", each["rounding"], each["computed"])
    return said
