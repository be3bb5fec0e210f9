"""What is tuned: a kernel with its arguments, how a choice is tried and how it is checked."""

from __future__ import annotations

import hashlib
import json
import threading
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Mapping, Sequence

import numpy as np

from . import _native, given
from .comparison import compare
from .compiler import source_dependencies
from .device import Device
from .errors import CompileError, FindingError, UserError
from .launch import Module
from .space import Point, Space
from .tensor import Tensor
from .texts import tr


@dataclass(frozen=True)
class Output:
    """An argument that a kernel writes: a tensor of ``shape`` and ``dtype``. For verify() extents
    may be expressions of sizes, as of an Input."""

    shape: Any
    dtype: str = "fp32"


@dataclass(frozen=True)
class Trial:
    """A choice that was tried.

    ``point`` has the value of each parameter, ``us`` the modelled time and ``local_bytes`` the most
    bytes of an NPU's local memory in use at a time; both None where the kernel does not compile or
    its launch fails: ``reason`` says why. ``number`` is that of the point in its space.
    """

    number: int
    point: dict[str, Any]
    us: float | None
    local_bytes: int | None
    reason: str

    @property
    def feasible(self) -> bool:
        """Whether the kernel ran."""
        return self.us is not None


class Problem:
    """A kernel with parameters, for one chip.

    ``sources`` are its files, ``args`` its arguments by name: arrays are inputs, Output stands for
    what it writes, numbers are themselves; those of the space's fields are chosen by the tuner.
    ``reference`` are the right outputs by name, or a function that computes them of ``args``.
    """

    def __init__(self, sources: Sequence[Path], chip: str, kernel: str, args: Mapping[str, Any],
                 space: Space, *, reference: Any = None, tolerance: str | None = None,
                 flags: Sequence[str] = (), defines: Mapping[str, Any] | None = None,
                 timeout: float | None = None):
        for name in space.values:
            if name in args or name in (defines or {}):
                raise UserError(tr("'{}' is given and a parameter of the space", name))
        self.sources = [Path(source).absolute() for source in sources]
        self.chip, self.kernel, self.args, self.space = chip, kernel, dict(args), space
        self.reference, self.tolerance = reference, tolerance
        self.flags, self.defines = given.words("flags", flags), given.macros("defines", defines)
        self.timeout = timeout
        # By thread, so that a finding is that of its trial, and by whether they only time.
        self._devices: dict[tuple[int, bool], tuple[Device, dict[str, Any]]] = {}
        # The module of a device that was launched last: where only fields change, nothing is asked
        # of the compiler.
        self._modules: dict[Device, tuple[dict[str, Any], Module]] = {}

    # ---- keys -----------------------------------------------------------------------------------

    @cached_property
    def content(self) -> str:
        """A digest of everything but the point that decides a result: kernel and headers with all
        their bytes, macros, flags, arguments, chip, time limit, the version of this package.

        Which headers there are is asked with the macros of the first point that the preprocessor
        takes.
        """
        digest = hashlib.sha256()
        digest.update(json.dumps([
            _native.version, self.chip, self.kernel, self.flags, self.timeout,
            list(self.space.macros),
            sorted((name, str(value)) for name, value in self.defines.items())]).encode())
        for file in self._files():
            digest.update(hashlib.sha256(file.read_bytes()).digest())
        for name, value in sorted(self.args.items()):
            digest.update(f"{name}={_described(value)}\0".encode())
        return digest.hexdigest()

    def key(self, number: int) -> str:
        """What stands for the trial of a point wherever it is kept."""
        return _digest([self.content, self.space.point(number)])

    def check_key(self, number: int) -> str:
        """The same for its check."""
        wanted = sorted((name, _described(value)) for name, value in self.wanted.items())
        return _digest([self.key(number), self.tolerance, wanted])

    # ---- trials ---------------------------------------------------------------------------------

    def measure(self, number: int) -> Trial:
        """The modelled time of a point, by a dry run without checks. Raises UserError where the
        arguments do not fit the kernel."""
        point = self.space.point(number)
        device, args = self._device(timing=True)
        try:
            launch = self._launch(device, args, point)
        except (CompileError, FindingError) as error:
            return Trial(number, point, None, None, self._reason(error))
        return Trial(number, point, launch.time.us, launch.memory_map.peak_bytes, "")

    def check(self, number: int) -> str:
        """Runs a point exactly, with all checks, and compares with the reference. What is wrong;
        empty where nothing is."""
        device, args = self._device(timing=False)
        outputs = {name: device.empty(each.shape, each.dtype)
                   for name, each in self.args.items() if isinstance(each, Output)}
        try:
            self._launch(device, {**args, **outputs}, self.space.point(number))
            for name, wanted in self.wanted.items():
                found = compare(outputs[name], wanted, self.tolerance)
                if not found:
                    return f"{name}: {str(found).splitlines()[0]}"
        except (CompileError, FindingError) as error:
            return self._reason(error)
        return ""

    def for_workers(self) -> Problem:
        """A copy with what a measurement needs, that other processes can be sent. It says anew what
        its ``content`` is: their files may be others."""
        return Problem(self.sources, self.chip, self.kernel, self.args,
                       self.space.without_constraints(), flags=self.flags, defines=self.defines,
                       timeout=self.timeout)

    def _device(self, timing: bool) -> tuple[Device, dict[str, Any]]:
        key = threading.get_ident(), timing
        if key not in self._devices:
            watch = "none" if timing else "all"
            device = Device(self.chip, check=watch, dry_run=timing, timeout=self.timeout)
            args: dict[str, Any] = {}
            for name, value in self.args.items():
                if isinstance(value, np.ndarray):
                    args[name] = device.tensor(value)
                elif not isinstance(value, Output):
                    args[name] = value
                elif timing:
                    args[name] = device.empty(value.shape, value.dtype)
            self._devices[key] = device, args
        return self._devices[key]

    def _launch(self, device: Device, args: Mapping[str, Any], point: Point) -> Any:
        macros = self._macros(point)
        before, module = self._modules.get(device, (None, None))
        if module is None or before != macros:
            module = device.compile(*self.sources, flags=self.flags, defines=macros)
            self._modules[device] = macros, module
        fields = {name: value for name, value in point.items() if name not in self.space.macros}
        return module.launch(self.kernel, {**args, **fields})

    def _files(self) -> list[Path]:
        refused = UserError(tr("a space has no points"))
        for number in range(self.space.size):
            try:
                return source_dependencies(self.chip, self.sources, self.flags,
                                           self._macros(self.space.point(number)))
            except CompileError as error:
                refused = error
        raise refused

    def _macros(self, point: Point) -> dict[str, Any]:
        return {**self.defines, **{name: point[name] for name in self.space.macros}}

    @cached_property
    def wanted(self) -> dict[str, np.ndarray]:
        """The reference, by the names of outputs. Raises UserError where it cannot be theirs."""
        given: Any = {} if self.reference is None else self.reference
        outputs = [name for name, value in self.args.items() if isinstance(value, Output)]
        if callable(given):
            given = given(self.args)
        if not isinstance(given, Mapping):
            if len(outputs) != 1:
                raise UserError(tr("reference is one array, outputs are {}: give arrays by name",
                                   ', '.join(outputs)))
            given = {outputs[0]: given}
        for name in given:
            if name not in outputs:
                raise UserError(tr("reference has '{}', outputs are {}", name, ', '.join(outputs)))
            if np.shape(given[name]) != tuple(self.args[name].shape):
                raise UserError(tr("reference {} has shape {}, the output {}", name,
                                   np.shape(given[name]), tuple(self.args[name].shape)))
        return {name: np.asarray(value) for name, value in given.items()}

    def _reason(self, error: CompileError | FindingError) -> str:
        """One line that is the same on all machines of one language."""
        if isinstance(error, FindingError):
            finding = error.findings[0]
            text = f"{finding.id}: {finding.message}" if finding.id else finding.message
        else:
            lines = [line for line in error.output.splitlines() if "error:" in line]
            text = tr("does not compile: {}", lines[0] if lines else error.output)
        for source in self.sources:
            text = text.replace(f"{source.parent}/", "")
        return " ".join(text.split())


def as_row(trial: Trial, key: str) -> dict[str, Any]:
    """A trial as a store and a file of results keep it."""
    return {"key": key, **asdict(trial)}


def from_row(row: Mapping[str, Any]) -> Trial:
    """The same backwards."""
    return Trial(row["number"], row["point"], row["us"], row["local_bytes"], row["reason"])


def _described(value: Any) -> str:
    if isinstance(value, Tensor):
        raise UserError(tr("{} belongs to a device; a tuner takes the array", value))
    if isinstance(value, np.ndarray):
        data = hashlib.sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
        return f"{value.dtype.str}{value.shape}{data}"
    if isinstance(value, Output):
        return f"output{tuple(value.shape)}{value.dtype}"
    return repr(value)


def _digest(things: Any) -> str:
    return hashlib.sha256(json.dumps(things).encode()).hexdigest()
