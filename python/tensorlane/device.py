"""Emulated devices."""

from __future__ import annotations

import atexit
import json
import os
import sys
import weakref
from collections import deque
from pathlib import Path
from types import TracebackType
from typing import Any, Iterable, Mapping, Sequence

import numpy as np

from . import _native, given
from .compiler import compile_kernels, is_ppl, source_file
from .dtypes import dtype_name, stored
from .errors import FindingError, UserError
from .findings import Finding, finding_of_failure, findings_of, is_fault
from .indexing import extents_of
from .isolated_parts import IsolatedMemory, IsolatedModule
from .isolation import IsolatedDevice
from .launch import Launch, Module
from .layouts import Layout, layout_for
from .ppl import PplModule
from .run_options import settings_of
from .tensor import Tensor
from .texts import tr
from .why import Chain


_HISTORY_BYTES = 512 << 20


class Device:
    """An emulated device: a BM1684 (kernels of okk.h), or a BM1684X or later chip (tpu_kernel.h).

        dev = tensorlane.Device("bm1684x")
        x = dev.tensor(np.ones((2, 64, 8, 8), np.float32))
        y = dev.empty(x.shape, "fp32")
        dev.compile("double.c").launch("double_it", input=x, output=y, count=x.nbytes // 4)
        y.numpy()

    chip         one of `tensorlane chips`: "bm1684", "bm1684x", "bm1688", "bm1690", "sg2260e"
    check        which checks watch: "all", "none", or some by name as `tensorlane run --check`
                 takes them ("race,init")
    allow        ids of findings that are no exceptions, with wildcards: ["TL-LINT-*"]
    dry_run      nothing is computed or moved; findings and modelled times are the same, where a
                 kernel does not look at its data
    dma          when copies of a parallel region take effect: "early", "late", "random:SEED"; as
                 issued by default
    cores        which core of a launch over several goes on: "order" or "random:SEED"
    pipeline     "off": loops of PPL kernels that ask for it are not cut into stages
    reference    the plain implementations run, not the fast ones
    keep_going   calls beyond a limit of range are computed; they are findings all the same
    strict       limits count that the chip's model does not enforce
    timeline     launches keep their commands, for timeline and memory map
    prebuilt     times are those of commands that the engines get as a list
    timeout      seconds that a launch may take; the last one given holds for all devices
    history      the past is kept, so that why() can be asked: True, or how many bytes at most
    shadow       everything is computed in double precision as well, for Tensor.real()
    log          file that gets a line per command, for diff()
    isolate      launches happen in a process of their own: a kernel that takes it down, whatever
                 it does, is an exception as any other, after which the device is lost
    red_zones    gaps between tensors, so that what reaches from one into the next is found; on
                 where anything is checked or a history is kept

    Other options of `tensorlane run` that print or write files do so here, too, and are called as
    there: watch="3:0x0", print="kernel.c:12", dump="kernel.c:12=out.npy", trace="trace.json",
    profile, record, advice, time, precision, precision_of=["launch=3", "sample=1000"], self_profile. What `run` prints goes to standard error;
    files are there once the device is closed.

    May be used from several threads; launches of one device follow each other, those of different
    devices run at the same time. The child of a fork opens devices of its own. ``with`` closes the
    device at the end.
    """

    def __init__(self, chip: str, *, check: str | Iterable[str] = "all", allow: Iterable[str] = (),
                 dry_run: bool = False, dma: str | None = None, reference: bool = False,
                 keep_going: bool = False, strict: bool = False, timeline: bool = True,
                 prebuilt: bool = False, timeout: float | None = None,
                 history: bool | int = False, shadow: bool = False,
                 log: str | os.PathLike[str] | None = None,
                 isolate: bool = False, red_zones: bool | None = None, **options: Any):
        self.chip = given.text("chip", chip, '"bm1684x"').lower()
        self.allow = given.texts("allow", allow, '["TL-LINT-*"]')
        for each in self.allow:  # one that is misspelt would allow nothing
            _native.need_diagnostics(each)
        checks = ",".join(given.texts("check", check, '["race", "init"]'))
        kept = given.byte_count("history", history, _HISTORY_BYTES)
        # Either has modules, memory and records of its own kind.
        self._native: Any = (
            IsolatedDevice if given.truth("isolate", isolate) else _native.EmulatedDevice)(
            self.chip, check=checks, dry_run=given.truth("dry_run", dry_run),
            timeline=given.truth("timeline", timeline), prebuilt=given.truth("prebuilt", prebuilt),
            timeout=given.seconds("timeout", timeout),
            settings=settings_of({"dma": dma, "reference": reference, "keep_going": keep_going,
                                  "strict": strict, **options}),
            history=kept, shadow=given.truth("shadow", shadow), log=given.path("log", log),
            red_zones=(checks != "none" or kept > 0) if red_zones is None else
            given.truth("red_zones", red_zones))
        self._process = os.getpid()
        self._findings: dict[tuple[str, str, str], Finding] = {}
        self._modules: weakref.WeakValueDictionary[Path, Module] = weakref.WeakValueDictionary()
        self.keeps_history = kept > 0
        self.shadow = bool(shadow)
        self._pending: dict[int, Launch] = {}  # launches that nobody has waited for
        self._recent: deque[Launch] | None = None  # of those that ended, where somebody wants them
        _open_devices.add(self)

    # ---- kernels ------------------------------------------------------------------------------

    def compile(self, *sources: str | os.PathLike[str], source: str | None = None,
                suffix: str = ".c", defines: Mapping[str, object] | None = None,
                flags: str | Sequence[str] = ()) -> Module:
        """Kernels from C, C++ or PPL files (.pl), from folders of C as compilers write it, or from
        the text ``source`` in the language of ``suffix``.

        They are compiled by $CC or cc ($CXX or c++) as for the vendor's model, with its headers;
        ``defines`` are macros, ``flags`` come last, a list of words or a text that is taken apart
        as a shell does. What was compiled before is taken from a
        cache. Raises CompileError with what the compiler says.
        """
        files = [Path(file) for file in sources]
        if source is not None:
            files.append(source_file(source, suffix))
        if not files:
            raise UserError(tr("compile needs a file or a source"))
        words, macros = given.words("flags", flags), given.macros("defines", defines)
        library = compile_kernels(self.chip, files, words, macros)
        if not any(map(is_ppl, files)):
            return self.load(library)
        module = self.load(library, PplModule)
        assert isinstance(module, PplModule)
        module.built_from = [file for file in files if is_ppl(file)], words, macros
        return module

    def load(self, path: str | os.PathLike[str], kind: type[Module] = Module) -> Module:
        """The kernels of a shared library built for this host, linked with libbmlib.so or not.
        ``kind`` is PplModule for one that `tensorlane ppl build` made."""
        path = Path(path)
        if not path.is_file():
            raise UserError(tr("module '{}' is no file", path))
        path = path.absolute()
        module = self._modules.get(path)
        if module is None:
            module = self._modules[path] = kind(self, path)
        return module

    # ---- memory -------------------------------------------------------------------------------

    def tensor(self, array: Any, *, dtype: Any = None, layout: str | Layout | None = None,
               **options: Any) -> Tensor:
        """A tensor with the elements of ``array``, which is copied once.

        ``dtype`` is taken from the array; for another float type the values are rounded, for bf16,
        fp8 and 4-bit integers given as bits or integers it says what they are. ``layout`` is a name
        of the chip's system ("4N", "32IC") or a Layout, ``options`` as layout() takes them.
        """
        data, name = stored(array, dtype)
        shape = array.shape if hasattr(array, "shape") else np.shape(array)
        tensor = self.empty(tuple(shape), name, layout=layout, **options)
        if tensor.layout is None:
            tensor._memory.write(data)
        else:
            tensor.write(array)
        return tensor

    def empty(self, shape: int | Sequence[int], dtype: Any = "fp32", *,
              layout: str | Layout | None = None, **options: Any) -> Tensor:
        """A tensor that nobody has written: reading it before a kernel did is a finding."""
        extents = extents_of(shape)
        name = dtype_name(dtype)
        return Tensor(self, extents, name, layout_for(self.chip, layout, extents, name, options))

    # ---- results ------------------------------------------------------------------------------

    @property
    def findings(self) -> list[Finding]:
        """All findings so far, warnings and advice too, each once."""
        self._keep(self._news())
        return list(self._findings.values())

    def why(self, tensor: Tensor | int, index: int | Sequence[int] = (), *, bit: int = 0,
            depth: int = 16, width: int = 4, terms: int = 3) -> Chain:
        """Where the value of an element came from, or that at an address (and bit of its byte).

        ``depth`` limits the steps back, ``width`` how many sources of each are followed, ``terms``
        how many of a sum are shown. Needs a device with ``history``.
        """
        if isinstance(tensor, Tensor):
            address, bit = tensor.place(index)
        else:
            address = tensor
        return Chain(self._native.why(address, bit, depth, width, terms))

    def summary(self) -> dict[str, Any]:
        """What all launches and copies add up to: launches, commands, functions, bytes."""
        return json.loads(self._native.statistics())

    @property
    def allocated(self) -> int:
        """Bytes of global memory in use."""
        return self._native.allocated

    def sync(self) -> None:
        """Waits for all launches. Raises FindingError of the first that failed."""
        for launch in list(self._pending.values()):
            launch.wait()
        self._native.drain()
        self._raise_for(self._news(), None)

    def close(self) -> None:
        """Ends the checks; what they say at the end is in ``findings``, errors are raised.

        Tensors keep what they hold; launches are over.
        """
        if self._native.closed:
            return
        self._native.close()
        self._raise_for(self._news(), None)

    def __enter__(self) -> Device:
        return self

    def __exit__(self, type: type[BaseException] | None, error: BaseException | None,
                 traceback: TracebackType | None) -> None:
        try:
            self.close()
        except FindingError:
            if error is None:
                raise

    def __repr__(self) -> str:
        state = ", closed" if self._native.closed else ""
        return f"<Device {self._native.number}: {self.chip}{state}>"

    # ---- for the rest of the package ------------------------------------------------------------

    def _load(self, path: str) -> _native.KernelModule | IsolatedModule:
        if isinstance(self._native, IsolatedDevice):
            return self._native.load(path)
        return _native.KernelModule(path)

    def _memory(self, nbytes: int) -> _native.Memory | IsolatedMemory:
        if isinstance(self._native, IsolatedDevice):
            return self._native.memory(nbytes)
        return _native.Memory(self._native, nbytes)

    def _close_late(self) -> None:
        """Closes it where nobody can catch what that raises: the error is told as one that nobody
        caught, and the process ends as failed."""
        while self._process == os.getpid() and not self._native.closed:
            try:
                if self._pending:
                    self.sync()
                else:
                    self.close()
            except Exception as error:
                sys.excepthook(type(error), error, error.__traceback__)
                _native.end_as_failed()

    def __del__(self) -> None:
        if getattr(self, "_pending", None):  # queued launches that nobody waits for any more
            self._close_late()

    def _is_lost(self) -> bool:
        """Whether it was an isolated one whose process is gone, with all that it knew."""
        return isinstance(self._native, IsolatedDevice) and bool(self._native.lost)

    def _end(self) -> None:
        """Nobody asks the device for anything any more: the process of an isolated one ends."""
        if isinstance(self._native, IsolatedDevice):
            self._native.end()

    def _run(self, module: Module, kernel: str, args: bytes, cores: int) -> Launch:
        try:
            record, news, failure = self._native.run(module._native, kernel, args, cores)
        except UserError:  # nothing was launched
            raise
        except BaseException:  # Ctrl-C: what was found belongs to nobody's next launch
            self._keep(self._news())
            raise
        launch = Launch(self, record)
        self._ended(launch, news, failure)
        return launch

    def _submit(self, module: Module, kernel: str, args: bytes, cores: int,
                tensors: list[Tensor]) -> Launch:
        launch = Launch(self, self._native.submit(module._native, kernel, args, cores), tensors)
        self._pending[id(launch)] = launch
        return launch

    def _wait(self, launch: Launch) -> None:
        self._pending.pop(id(launch), None)
        try:
            news, failure = self._native.wait(launch._record)
        except BaseException:  # as above
            launch._tensors = None
            self._keep(self._news())
            raise
        self._ended(launch, news, failure)

    def _ended(self, launch: Launch, news: str, failure: str | None) -> None:
        launch._tensors = None
        if self._recent is not None:
            self._recent.append(launch)
        if not news and failure is None:
            return
        found = findings_of(news)
        if failure is not None and not any(finding.severity == "error" for finding in found):
            found.append(finding_of_failure(failure))
        launch._findings = self._raise_for(found, launch)

    def _check_host(self) -> None:
        news = self._native.news()
        if news:
            self._raise_for(findings_of(news), None)

    def _news(self) -> list[Finding]:
        return findings_of(self._native.news())

    def _keep(self, news: list[Finding]) -> None:
        for finding in news:
            place = "\n".join(call.place for call in finding.call_chain)
            self._findings[finding.id, finding.message, place] = finding

    def _raise_for(self, news: list[Finding], launch: Launch | None) -> list[Finding]:
        if not news:
            return news
        self._keep(news)
        errors = [finding for finding in news if is_fault(finding, self.allow)]
        if errors:
            raise FindingError(errors, launch)
        return news


_open_devices: weakref.WeakSet[Device] = weakref.WeakSet()


@atexit.register
def _close_devices() -> None:
    # A kernel must not run on while the process takes its libraries down.
    for device in list(_open_devices):
        device._close_late()
        device._end()
