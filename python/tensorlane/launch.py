"""Modules of kernels, and what a launch came to."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import given
from .argument_structs import ArgumentStruct, argument_structs
from .arguments import pack, tensors_in
from .errors import UserError
from .findings import Finding
from .records import Record, kept, said_of
from .texts import tr
from .timing import MemoryMap, Time, Timeline, report_page

if TYPE_CHECKING:
    from .device import Device
    from .tensor import Tensor


class Module:
    """Kernels of one library, ready to be launched on a device.

    Made by Device.compile and Device.load; unloaded when nobody has it any more.
    """

    def __init__(self, device: Device, path: Path):
        self.device = device
        self.path = path
        self._native: Any = device._load(str(path))
        self._structs: dict[str, list[ArgumentStruct]] = {}

    @property
    def kernels(self) -> list[str]:
        """The names under which its kernels are registered."""
        return self._native.kernels()

    def arguments(self, kernel: str) -> list[ArgumentStruct]:
        """What ``kernel`` takes its arguments for, by its debug information: most have one struct.
        Empty without -g."""
        if kernel not in self._structs:
            self._structs[kernel] = argument_structs(self._native, kernel)
        return self._structs[kernel]

    def launch(self, kernel: str, args: Any = None, /, *, wait: bool = True, cores: int = 1,
               **fields: Any) -> Launch:
        """Runs ``kernel`` and waits for it; with ``wait=False`` the launch is only queued.

        ``args`` are names and values of the kernel's own struct (also as keywords, and tensors for
        addresses; a struct inside takes a mapping or its members in order), a ctypes structure, a
        numpy record, or bytes. With ``cores`` the kernel runs on so many cores of the chip, each
        with a struct of its own: a list of ``args``, one per core, or one that all get alike.

        Raises UserError for a kernel or field that is not there, a value that is missing or does
        not fit; FindingError where the launch ends early or the checker finds an error.
        """
        if fields:
            if args is not None and not isinstance(args, Mapping):
                raise UserError(tr("args and fields by keyword are both given"))
            args = {**(args or {}), **fields}
        cores = given.whole("cores", cores, 1)
        per_core = list(args) if isinstance(args, (list, tuple)) else [args]
        if len(per_core) not in (1, cores):
            raise UserError(tr("args has {} structs for {} cores", len(per_core), cores))
        blocks = [self._block(kernel, each) for each in per_core]
        block = b"".join(blocks) if len(blocks) == cores else blocks[0] * cores
        if wait:
            return self.device._run(self, kernel, block, cores)
        tensors = [tensor for each in per_core for tensor in tensors_in(each)]
        return self.device._submit(self, kernel, block, cores, tensors)

    def _block(self, kernel: str, args: Any) -> bytes:
        structs = self.arguments(kernel)
        if not isinstance(args, Mapping):
            return pack(kernel, args, structs)
        if len(structs) == 1 and type(args) is dict and not structs[0].typed:
            packer = structs[0].packer
            block = packer.pack(args, self.device) if packer is not None else None
            if block is not None:
                return block
        for tensor in tensors_in(args):
            if tensor.device is not self.device:
                raise UserError(tr("{} is of {}, the launch of {}", tensor, tensor.device,
                                   self.device))
        return pack(kernel, args, structs)

    def __repr__(self) -> str:
        return f"<Module {self.path.name}: {', '.join(self.kernels)}>"


class Launch:
    """One launch of a kernel: what was found in it, and how long it takes by the timing model.

    ``kernel`` is its name, ``number`` counts the launches of its device from 0. Of one that came
    from another process ``device`` is None, and there is neither page nor trace.
    """

    def __init__(self, device: Device, record: Record,
                 tensors: list[Tensor] | None = None):
        self.device = device
        self._record = record
        self._tensors = tensors  # of one that nobody has waited for, what it uses
        self._findings: list[Finding] = []

    @property
    def kernel(self) -> str:
        return self._record.kernel

    @property
    def number(self) -> int:
        return self._record.number

    @property
    def done(self) -> bool:
        """Whether it has ended."""
        return self._tensors is None or self.device._native.done(self._record)

    def wait(self) -> Launch:
        """Waits until it has ended. Raises FindingError as Module.launch does."""
        if self._tensors is not None:
            self.device._wait(self)
        return self

    @property
    def failed(self) -> bool:
        """Whether it ended before its kernel returned."""
        self.wait()
        return self._record.failure() is not None

    @property
    def findings(self) -> list[Finding]:
        """Warnings, advice and allowed errors that were found in it."""
        self.wait()
        return self._findings

    @property
    def time(self) -> Time:
        """The modelled time with its reasons."""
        self.wait()
        return Time(self._record)

    @property
    def evidence(self) -> dict[str, list[str]]:
        """What its results rest on: its functions as "model", "board hash", "document" or
        "choice", as "choices_in_outputs" those by a choice that are in global memory now or were
        made into what is, and as "order_of_cores" those by which several cores reduced floats into
        the same bytes: the order in which they came decides last bits of sums."""
        self.wait()
        return json.loads(said_of(self._record, "evidence"))

    @property
    def timeline(self) -> Timeline:
        """When which engine worked on which command."""
        self.wait()
        return Timeline(self._record)

    @property
    def memory_map(self) -> MemoryMap:
        """Which bytes of an NPU's local memory are in use, when and by whom."""
        self.wait()
        return MemoryMap(self._record)

    def page(self) -> str:
        """Time, evidence, timeline and memory map as a page: one HTML file without links."""
        self.wait()
        return report_page([self])

    def __reduce__(self) -> tuple[Any, ...]:
        # Another process knows what was found and how long it takes, and has no device.
        self.wait()
        return _from_elsewhere, (kept(self._record), self._findings)

    def __repr__(self) -> str:
        if self._tensors is not None:
            return f"<Launch {self.number} of {self.kernel}>"
        return f"<Launch {self.number} of {self.kernel}: {self.time.us:.2f} us modelled>"


def _from_elsewhere(record: Record, findings: list[Finding]) -> Launch:
    launch = Launch(None, record)  # type: ignore[arg-type]
    launch._findings = findings
    return launch
