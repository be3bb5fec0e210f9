"""Functions marked __TEST__ of a `.pl` file, run on the host: their arrays lie on a device, and a
kernel that they call is a launch."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Callable, Iterator

import numpy as np

from . import _native
from .dtypes import numpy_dtype
from .errors import FindingError, UserError
from .texts import reason, tr

if TYPE_CHECKING:
    from .launch import Launch
    from .ppl import PplModule
    from .tensor import Tensor

_SIZED = ctypes.c_longlong
_UNWRITTEN = "TL-COVERAGE-001"


@contextmanager
def _in_the_stead_of(place: tuple[str, int, str]) -> Iterator[None]:
    """What is done meanwhile is said to come from the test's line."""
    _native.stand_in(place)
    try:
        yield
    finally:
        _native.stand_in(None)


class _Dim4(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int) for name in "nchw"]


class _TestHost(ctypes.Structure):
    """TestHost of ppl/test.h."""

    _fields_ = [
        ("memory", ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Dim4), ctypes.c_char_p,
                                    ctypes.c_void_p)),
        ("random", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.POINTER(_Dim4),
                                    ctypes.c_char_p, ctypes.c_double, ctypes.c_double,
                                    ctypes.c_void_p)),
        ("read", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p,
                                  ctypes.c_char_p, ctypes.c_void_p)),
        ("launch", ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_char_p, ctypes.c_void_p, _SIZED,
                                    ctypes.c_void_p)),
        ("failed", ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_int))]


@dataclass
class TestLaunch:
    """A launch of a test: ``arguments`` by the kernel's names, arrays as tensors; ``place`` is where
    the test calls it, (file, line, function)."""

    __test__ = False  # pytest: none of yours

    kernel: str
    arguments: dict[str, Any]
    launch: Launch
    place: tuple[str, int, str]


@dataclass
class TestRun:
    """What a test did. ``unwritten`` are the arrays in which bytes are left that nobody wrote, as
    "output (softmax)": a cache may have such, a result should not."""

    __test__ = False

    name: str
    launches: list[TestLaunch] = field(default_factory=list)
    unwritten: list[str] = field(default_factory=list)

    @property
    def us(self) -> float:
        """The modelled time of all launches."""
        return sum(each.launch.time.us for each in self.launches)

    def tensors(self) -> dict[str, Tensor]:
        """The arrays, as "0.softmax.output", where the number is the launch's; each under the first
        name that it had."""
        found: dict[int, tuple[str, Tensor]] = {}
        for number, each in enumerate(self.launches):
            for name, value in each.arguments.items():
                if hasattr(value, "address"):
                    found.setdefault(value.address, (f"{number}.{each.kernel}.{name}", value))
        return dict(found.values())

    def arrays(self) -> dict[str, np.ndarray]:
        """Copies of the arrays as they are now. Bytes that nobody wrote are what they are."""
        copies = {}
        for name, tensor in self.tensors().items():
            try:
                copies[name] = tensor.numpy().copy()
            except FindingError:  # said when the test ended
                copies[name] = np.frombuffer(tensor._memory.view(), np.uint8).copy()
        return copies

    def read_back(self) -> None:
        """Reads all arrays as a host does, so that what is wrong with results is found."""
        for name, tensor in self.tensors().items():
            try:
                with _in_the_stead_of(self.launches[int(name.split(".")[0])].place):
                    tensor.raw()
            except FindingError as error:
                if any(found.id != _UNWRITTEN for found in error.findings):
                    raise
                _, kernel, argument = name.split(".")
                self.unwritten.append(f"{argument} ({kernel})")


def tests_of(module: PplModule) -> list[str]:
    """The names of the tests of the files that a module was compiled from."""
    return [name for _, names in _libraries(module) for name in names]


def _libraries(module: PplModule) -> list[tuple[Path, list[str]]]:
    from .compiler import test_library  # which knows this module's names

    if module.built_from is None:
        raise UserError(tr("{} was loaded as a library; tests stand in the .pl file, which "
                           "Device.compile takes", module.path.name))
    sources, flags, defines = module.built_from
    return [test_library(module.device.chip, source, flags, defines) for source in sources]


def run_test(module: PplModule, name: str, seed: int, cores: int | None) -> TestRun:
    """See PplModule.test."""
    libraries = _libraries(module)
    for library, names in libraries:
        if name in names:
            return _Host(module, seed, cores).run(library, name)
    known = ", ".join(each for _, names in libraries for each in names)
    raise UserError(tr("there is no test '{}'; tests are {}", name, known or tr("none")))


class _Host:
    """What a test asks for."""

    def __init__(self, module: PplModule, seed: int, cores: int | None):
        self._module, self._cores = module, cores
        self._random = np.random.default_rng(seed)
        self._tensors: dict[int, Tensor] = {}
        self._launches: list[TestLaunch] = []
        self._error: BaseException | None = None
        self._place = ("", 0, "")  # in the test
        kinds = dict(_TestHost._fields_)
        self._host = _TestHost(
            kinds["memory"](self._kept(self._at_line(self._memory), None)),
            kinds["random"](self._kept(self._at_line(self._fill), False)),
            kinds["read"](self._kept(self._at_line(self._read), False)),
            kinds["launch"](self._kept(self._at_line(self._launch), False)),
            kinds["failed"](self._kept(self._failed, None)))

    def run(self, library: Path, name: str) -> TestRun:
        loaded = ctypes.CDLL(str(library))
        loaded.ppl_set_test_host(ctypes.byref(self._host))
        test = getattr(loaded, f"ppl_test_{name}")
        test.restype = ctypes.c_bool
        test()
        if self._error is not None:
            raise self._error
        run = TestRun(name, self._launches)
        run.read_back()
        return run

    def _kept(self, function: Callable[..., Any], refused: Any) -> Callable[..., Any]:
        """The function, whose exception is raised once the test has ended."""
        def call(*args: Any) -> Any:
            try:
                return function(*args)
            except BaseException as error:  # a Ctrl-C, too
                self._error = error
                return refused
        return call

    def _at_line(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, said to be called at the line that its last argument leads to."""
        def call(*args: Any) -> Any:
            self._place = _native.place_of(args[-1])
            with _in_the_stead_of(self._place):
                return function(*args[:-1])
        return call

    def _memory(self, shape: Any, dtype: bytes) -> int:
        extents = tuple(getattr(shape.contents, name) for name in "nchw")
        tensor = self._module.device.empty(extents, dtype.decode())
        self._tensors[tensor.address] = tensor
        return tensor.address

    def _fill(self, array: int, shape: Any, dtype: bytes, least: float, most: float) -> bool:
        tensor = self._tensor(array)
        values: np.ndarray
        if dtype.decode().startswith(("int", "uint")):
            values = self._random.integers(int(least), int(most), tensor.shape, endpoint=True)
        else:
            values = self._random.uniform(least, most, tensor.shape)
        return self._write(tensor, dtype, values)

    def _read(self, array: int, dtype: bytes, file: bytes, name: bytes) -> bool:
        tensor = self._tensor(array)
        path = Path(file.decode())
        assert self._module.built_from is not None
        if not path.is_file():  # else beside the kernel
            path = self._module.built_from[0][0].parent / path
        try:
            with np.load(path) as arrays:
                if name.decode() not in arrays:
                    raise UserError(tr("{} has no array '{}'; it has {}", path, name.decode(),
                                       ", ".join(arrays)))
                values = arrays[name.decode()]
        except (OSError, ValueError) as error:
            said = reason(error) if isinstance(error, OSError) else error
            raise UserError(f"{path}: {said}") from None
        if values.size != tensor.size:
            raise UserError(tr("{} of {} has {} elements, the array {}", name.decode(), path,
                               values.size, tensor.size))
        return self._write(tensor, dtype, values.reshape(tensor.shape))

    def _write(self, tensor: Tensor, dtype: bytes, values: np.ndarray) -> bool:
        if dtype.decode() != tensor.dtype:
            raise UserError(tr("an array of {} is filled with {}", tensor.dtype, dtype.decode()))
        whole = tensor.dtype.startswith(("int", "uint"))
        tensor.write(values.astype(numpy_dtype(tensor.dtype) if whole else np.float32))
        return True

    def _launch(self, kernel: bytes, arguments: int, size: int) -> bool:
        name = kernel.decode()
        block = ctypes.string_at(arguments, size)
        cores = self._cores
        if cores is None:
            cores = self._module.asked_cores(name, block)
        launch = self._module.launch(name, block, cores=cores)
        struct = self._module.arguments(name)[0]
        values = np.frombuffer(block, struct.dtype())[0]
        known = {each.name: values[each.name].tolist() for each in struct.fields}
        self._launches.append(TestLaunch(
            name, {each: value if isinstance(value, list) else self._tensors.get(value, value)
                   for each, value in known.items()}, launch, self._place))
        return True

    def _failed(self, condition: bytes, file: bytes, line: int) -> None:
        raise UserError(tr("{}:{}: {} does not hold", Path(file.decode()).name, line,
                           condition.decode()))

    def _tensor(self, array: int) -> Tensor:
        if array not in self._tensors:
            raise UserError(tr("a test fills an array from the middle on, or one that it did not "
                               "get from malloc or rand"))
        return self._tensors[array]
