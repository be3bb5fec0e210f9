"""Runs of a verified kernel at points of its sizes: dry, or exact and compared with a reference."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from .accuracy import Accuracy, Judgement
from .compiler import compile_kernels
from .device import Device
from .errors import FindingError, UserError
from .expressions import evaluate, names_in
from .findings import Finding, is_allowed
from .operands import Operands, loaded, values_of
from .sizes import Point
from .texts import tr

# How the name of an order begins that is one of cores, and none of copies.
_OF_CORES = "cores "
# Runs that a device serves before it is closed, which tells what only the end of one shows.
_BATCH = 64


@dataclass(frozen=True)
class Failure:
    """What went wrong at a point. ``kind`` is "finding" (the checker's, ``id`` says which),
    "numbers" (a result differs from the reference) or "crash" (the launch ended, or took longer than
    it may); ``order`` the order of copies ("late") or of cores ("cores random:1"); ``text`` all of
    it."""

    kind: str
    id: str
    message: str
    point: dict[str, Any]
    order: str
    place: str = ""
    line: int = 0
    text: str = ""
    output: str = ""
    blame: str = ""
    index: tuple[int, ...] = ()

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for failures of one cause."""
        return self.kind, self.id, self.place or self.output


@dataclass
class Outcome:
    """A run: what failed, how many commands of which functions it took over how many ``cores``, how
    exact it was."""

    failure: Failure | None = None
    functions: dict[str, int] = field(default_factory=dict)
    regions: int = 0
    cores: int = 1
    accuracy: dict[str, Accuracy] = field(default_factory=dict)
    modelled: dict[str, Any] = field(default_factory=dict)

    @property
    def course(self) -> frozenset[tuple[str, int]]:
        """What the kernel did, as far as counts tell."""
        return frozenset(self.functions.items())


class KernelRuns:
    """A kernel with its arguments, ready to run anywhere in its space."""

    def __init__(self, sources: Sequence[Path], chip: str, kernel: str, operands: Operands,
                 reference: Any, judgement: Judgement, *, flags: Sequence[str] = (),
                 defines: Mapping[str, object] | None = None, allow: Sequence[str] = (),
                 timeout: float = 10.0, isolate: bool = True, cores: int | str = 1):
        missing = names_in(cores) - set(operands.names)
        if missing:
            raise UserError(tr("{} = '{}': there is no size '{}'; sizes are {}", "cores", cores,
                               sorted(missing)[0], ", ".join(operands.names)))
        self._cores = cores
        self.chip, self.kernel, self.operands = chip, kernel, operands
        self._reference, self.judgement = reference, judgement
        self._allow, self._timeout, self._isolate = list(allow), timeout, isolate
        self._library = compile_kernels(chip, sources, flags, defines)
        self._fields = self._size_fields()
        self._begin()

    def _begin(self) -> None:
        self._device: Device | None = None  # of dry runs
        self._module: Any = None
        self._batch: list[Point] = []
        self.dry_runs = self.exact_runs = 0

    @property
    def parts(self) -> dict[str, Any]:
        """What another process needs for dry runs of its own."""
        return {"chip": self.chip, "kernel": self.kernel, "operands": self.operands,
                "_allow": self._allow, "_timeout": self._timeout, "_library": self._library,
                "_cores": self._cores,
                "_fields": self._fields}

    @classmethod
    def of_parts(cls, parts: Mapping[str, Any]) -> KernelRuns:
        """Of what the other process was given; launches happen in it."""
        runs = cls.__new__(cls)
        runs.__dict__.update(parts, _isolate=False)
        runs._begin()
        return runs

    def cores(self, point: Point) -> int:
        """How many of the chip's cores the launch at a point takes."""
        return evaluate(self._cores, point)

    # ---- runs -------------------------------------------------------------------------------------

    def dry(self, point: Point) -> Outcome:
        """Runs without computing: addresses, limits, order and coverage are checked all the same."""
        self.dry_runs += 1
        if self._device is None:
            self._device = self._open(dry_run=True)
            self._module = self._device.load(self._library)
        before = self._device.summary()
        self._batch.append(point)
        failure = self._guarded(lambda: self._launch_dry(point), point, "")
        if failure is not None:
            self._drop()
            return Outcome(failure)
        return replace(_outcome(before, self._device.summary()), cores=self.cores(point))

    def end_of_batch(self, at_once: bool = False) -> Failure | None:
        """Closes the device of dry runs when it has served enough of them: what that shows belongs
        to one of its points, the first that shows it alone."""
        if self._device is None or (len(self._batch) < _BATCH and not at_once):
            return None
        points, device = self._batch, self._device
        failure = self._guarded(device.close, points[-1], "")
        self._drop()
        if failure is None:
            return None
        for point in points:
            self.dry(point)
            alone = None if self._device is None else self._guarded(self._device.close, point, "")
            self._drop()
            if alone is not None:
                return alone
        return failure

    def exact(self, point: Point, order: str = "", *, shadow: bool = False,
              history: bool = False) -> Outcome:
        """Runs exactly with all checks and compares each result with the reference."""
        self.exact_runs += 1
        device = self._open(**_in_order(order), shadow=shadow, history=history)
        outcome = Outcome(cores=self.cores(point))
        failure = self._guarded(
            lambda: self._launch_exact(device, point, order, outcome), point, order)
        outcome.failure = failure or outcome.failure
        if outcome.failure is None:
            outcome.failure = self._guarded(device.close, point, order)
        device._end()
        return outcome

    def why(self, failure: Failure) -> str:
        """Where the first wrong value came from; the text of `tensorlane why`."""
        if failure.kind != "numbers":
            return ""
        device = self._open(**_in_order(failure.order), history=True)
        try:
            made, _ = self.operands.filled(device, failure.point)
            device.load(self._library).launch(self.kernel, {**made, **self._sizes(failure.point)},
                                              cores=self.cores(failure.point))
            chain = device.why(made[failure.output], failure.index)
            # Which of the script's devices it was says nothing about the kernel.
            return "\n".join([chain.place, *str(chain).splitlines()[1:]])
        except (FindingError, UserError):
            return ""
        finally:
            device._end()

    # ---- parts ------------------------------------------------------------------------------------

    def _launch_dry(self, point: Point) -> None:
        assert self._device is not None
        made = self.operands.untouched(self._device, point)
        self._module.launch(self.kernel, {**made, **self._sizes(point)}, cores=self.cores(point))
        for name in self.operands.results:
            made[name]._touch(True)
        self._raise_warnings(self._device)

    def _launch_exact(self, device: Device, point: Point, order: str, outcome: Outcome) -> None:
        made, known = self.operands.filled(device, point)
        wanted = self._wanted(point, known)
        launch = device.load(self._library).launch(self.kernel, {**made, **self._sizes(point)},
                                                   cores=self.cores(point))
        ended = _outcome({}, device.summary())
        outcome.functions, outcome.regions = ended.functions, ended.regions
        for name in self.operands.results:
            made[name].numpy()  # what nobody wrote is a finding, before it is compared
        for name in self.operands.results:
            accuracy = self.judgement.judge(made[name], wanted[name])
            outcome.accuracy[name] = accuracy
            if accuracy.wrong:
                outcome.failure = Failure(
                    "numbers", "", tr("{}: {}", name, accuracy.headline), dict(point), order,
                    text=accuracy.text, output=name, blame=accuracy.blame, index=accuracy.index)
                raise _Wrong
        self._raise_warnings(device)
        details = launch.time.details
        outcome.modelled = {
            "us": launch.time.us, "us_at_most": launch.time.us_at_most,
            "calibrated": details["calibrated"], "bound_by": details["bound_by"],
            "next": next((each for each in details["why"] if each["help"]), None)}

    def _wanted(self, point: Point, known: dict[str, Any]) -> dict[str, np.ndarray]:
        results = self.operands.results
        given = self._reference
        if callable(given):
            given = given(known)
        if not isinstance(given, Mapping):
            if len(results) != 1:
                raise UserError(tr("reference is one array, outputs are {}: give arrays by name",
                                   ", ".join(results)))
            given = {results[0]: given}
        missing = [name for name in results if name not in given]
        if missing:
            raise UserError(tr("reference has no '{}'; outputs are {}", missing[0],
                               ", ".join(results)))
        return {name: loaded(value, point) if isinstance(value, str) else np.asarray(value)
                for name, value in given.items()}

    def _guarded(self, run: Callable[[], None], point: Point, order: str) -> Failure | None:
        try:
            run()
        except _Wrong:
            return None  # it stands in the outcome
        except FindingError as error:
            return _failure_of(error.findings[0], point, order)
        return None

    def _raise_warnings(self, device: Device) -> None:
        """Warnings fail a kernel as errors do: see the pytest plug-in."""
        found = [each for each in device.findings if each.severity == "warning"
                 and not each.consequence_of and not is_allowed(each, self._allow)]
        if found:
            raise FindingError(found)

    def _sizes(self, point: Point) -> dict[str, Any]:
        """The sizes that are fields of the kernel's arguments."""
        return {name: point[name] for name in self._fields}

    def _size_fields(self) -> list[str]:
        probe = Device(self.chip, check="none", isolate=self._isolate)
        try:
            module = probe.load(self._library)
            if self.kernel not in module.kernels:
                raise UserError(tr("there is no kernel '{}'; kernels are {}", self.kernel,
                                   ", ".join(module.kernels)))
            fields = {field.name for struct in module.arguments(self.kernel)
                      for field in struct.fields}
        finally:
            probe._end()
        return [name for name in self.operands.names
                if name not in self.operands.args and (name in fields or not fields)]

    def _open(self, **options: Any) -> Device:
        return Device(self.chip, allow=self._allow, isolate=self._isolate, timeout=self._timeout,
                      timeline=not options.get("dry_run", False), **options)

    def _drop(self) -> None:
        if self._device is not None:
            self._device._end()
        self._device, self._module, self._batch = None, None, []


class _Wrong(Exception):
    """A result is wrong; the outcome says how."""


def _in_order(order: str) -> dict[str, Any]:
    """The options of a device that runs things in this order."""
    if order.startswith(_OF_CORES):
        return {"cores": order[len(_OF_CORES):]}
    return {"dma": order} if order else {}


def _failure_of(finding: Finding, point: Point, order: str) -> Failure:
    kind = "crash" if finding.id.startswith("TL-LAUNCH") else "finding"
    place = finding.call_chain[0].place if finding.call_chain else ""
    return Failure(kind, finding.id, finding.message, dict(point), order, place, finding.line,
                   str(finding))


def _outcome(before: Mapping[str, Any], after: Mapping[str, Any]) -> Outcome:
    """What a run added to the counts of its device."""
    counts = {each["name"]: each["commands"] for each in after["functions"]}
    for each in before.get("functions", []):
        counts[each["name"]] -= each["commands"]
    return Outcome(functions={name: count for name, count in counts.items() if count},
                   regions=after["parallel_regions"] - before.get("parallel_regions", 0))
