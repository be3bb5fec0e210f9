"""What a verified kernel is called with: tensors whose shapes follow from sizes, and numbers."""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence, Union

import numpy as np

from .device import Device
from .dtypes import dtype_name, from_bf16, from_fp8
from .errors import UserError
from .expressions import evaluate, names_in
from .sizes import Point, size_text
from .tensor import Tensor
from .texts import tr
from .trials import Output

_WHOLE = ("int", "uint", "x")  # how names of types begin whose elements are whole numbers or bits
Shape = Union[Sequence[Union[int, str]], int, str, Callable[[Point], Sequence[int]]]


@dataclass(frozen=True)
class Input:
    """An argument that a kernel reads: a tensor of ``shape``, each extent a number or an expression
    of sizes ("rows,cols", ("rows", 64), or a function of the sizes), of ``dtype`` (the name of a
    size that is a choice, too).

    values    what it holds: "normal" (of floats), "small" (whole numbers from -8 or 0 to 7; of
              integers by default), "LOW:HIGH" (evenly between both, which may be expressions: an
              index is "0:rows-1"), a .npy file whose name may hold sizes in braces, or a function
              of a numpy generator, the shape and the sizes
    updated   the kernel writes it as well: the reference says what it holds afterwards
    layout    as Device.tensor takes it
    """

    shape: Shape
    dtype: str = "fp32"
    values: str | Callable[[np.random.Generator, tuple[int, ...], Point], np.ndarray] = ""
    updated: bool = False
    layout: str | None = None


@dataclass(frozen=True)
class Scratch:
    """Memory that a kernel may use and nobody looks at: ``shape`` as of an Input."""

    shape: Shape
    dtype: str = "x8"


class Operands:
    """All arguments of a kernel at any point of its sizes."""

    def __init__(self, args: Mapping[str, Any], names: Sequence[str], seed: int):
        self.args, self.names, self._seed = dict(args), tuple(names), seed
        for name, value in self.args.items():
            for text in _expressions(value):
                missing = names_in(text) - set(names)
                if missing:
                    raise UserError(tr("{} = '{}': there is no size '{}'; sizes are {}", name, text,
                                       sorted(missing)[0], ", ".join(names)))

    @property
    def results(self) -> list[str]:
        """The arguments that the reference gives."""
        return [name for name, value in self.args.items()
                if isinstance(value, Output) or isinstance(value, Input) and value.updated]

    def elements(self, point: Point) -> int:
        """Of all tensors at a point."""
        return sum(math.prod(extents_at(value.shape, point)) for value in self.args.values()
                   if isinstance(value, (Input, Output, Scratch)))

    def numbers(self, point: Point) -> dict[str, Any]:
        """The arguments that are no tensors."""
        said: dict[str, Any] = {}
        for name, value in self.args.items():
            if isinstance(value, Mapping):
                said[name] = _chosen(name, value, point)
            elif isinstance(value, str):
                said[name] = evaluate(value, point)
            elif callable(value):
                said[name] = value(point)
            elif not isinstance(value, (Input, Output, Scratch)):
                said[name] = value
        return said

    def untouched(self, device: Device, point: Point) -> dict[str, Any]:
        """The arguments on a device that computes nothing: inputs count as written."""
        made = self.numbers(point)
        for name, value in self.args.items():
            if isinstance(value, (Input, Output, Scratch)):
                made[name] = _empty(device, value, point)
                if isinstance(value, Input):
                    made[name]._touch(False)
        return made

    def filled(self, device: Device, point: Point) -> tuple[dict[str, Any], dict[str, Any]]:
        """The arguments on a device, and as the reference gets them: floats as float64, of the
        values that the device's type has."""
        made = self.numbers(point)
        known: dict[str, Any] = {**point, **made}
        for name, value in self.args.items():
            if isinstance(value, Input):
                made[name] = device.tensor(self._array(name, value, point),
                                           dtype=_dtype(value, point), layout=value.layout)
                known[name] = values_of(made[name])
            elif isinstance(value, (Output, Scratch)):
                made[name] = _empty(device, value, point)
        return made, known

    def _array(self, name: str, value: Input, point: Point) -> np.ndarray:
        shape, dtype = extents_at(value.shape, point), _dtype(value, point)
        if callable(value.values):
            array = np.asarray(value.values(self._generator(name, point), shape, dict(point)))
        elif value.values.endswith(".npy"):
            array = loaded(value.values, point)
        else:
            array = _drawn(self._generator(name, point), value.values, shape, dtype, point)
        if array.dtype.kind in "biu" and not dtype.startswith(_WHOLE):
            array = array.astype(np.float32)
        if array.shape != shape:
            raise UserError(tr("{} has shape {} at {}; its values have {}", name, shape,
                               size_text(point), array.shape))
        return array

    def _generator(self, name: str, point: Point) -> np.random.Generator:
        """The same for a tensor at a point in every run."""
        words = f"{self._seed} {name} {sorted(point.items())}".encode()
        return np.random.default_rng(int.from_bytes(hashlib.sha256(words).digest()[:8], "little"))


def extents_at(shape: Shape, point: Point) -> tuple[int, ...]:
    """A shape at a point. Raises UserError where an extent is no whole number of 0 or more."""
    if callable(shape):
        shape = tuple(shape(point))
    elif isinstance(shape, str):
        shape = shape.split(",")
    elif isinstance(shape, int):
        shape = (shape,)
    extents = tuple(evaluate(each, point) for each in shape)
    for text, extent in zip(shape, extents):
        if not isinstance(extent, (int, np.integer)) or isinstance(extent, bool) or extent < 0:
            raise UserError(tr("extent '{}' is {} at {}; it must be 0 or more", text, extent,
                               size_text(point)))
    return extents


def values_of(tensor: Tensor) -> np.ndarray:
    """The elements of a tensor as numbers: floats as float64, integers as they are."""
    array = tensor.numpy()
    if tensor.dtype == "bf16":
        array = from_bf16(array)
    elif tensor.dtype in ("fp8e4m3", "fp8e5m2"):
        array = from_fp8(array, tensor.dtype[3:])
    return array.astype(np.float64) if array.dtype.kind == "f" else array.copy()


def loaded(file: str, point: Point) -> np.ndarray:
    """The array of a file whose name may hold sizes: "rows{rows}.npy"."""
    try:
        return np.load(Path(file.format(**point)))
    except KeyError as error:
        raise UserError(tr("'{}': there is no size {}", file, error)) from None
    except (OSError, ValueError) as error:
        raise UserError(f"{file.format(**point)}: {error}") from None


def _expressions(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if not isinstance(value, (Input, Output, Scratch)):
        return []
    shape: Any = value.shape
    if callable(shape):
        return []
    if isinstance(shape, str):
        shape = shape.split(",")
    return [each for each in ([shape] if isinstance(shape, int) else shape)
            if isinstance(each, str)]


def _dtype(value: Input | Output | Scratch, point: Point) -> str:
    given = value.dtype
    return dtype_name(point[given] if isinstance(given, str) and given in point else given)


def _empty(device: Device, value: Input | Output | Scratch, point: Point) -> Tensor:
    return device.empty(extents_at(value.shape, point), _dtype(value, point),
                        layout=getattr(value, "layout", None))


def _chosen(name: str, table: Mapping[Any, Any], point: Point) -> Any:
    for value in point.values():
        if value in table:
            return table[value]
    raise UserError(tr("{} = {}: no size has one of its keys at {}", name, dict(table),
                       size_text(point)))


def _drawn(generator: np.random.Generator, words: str, shape: tuple[int, ...], dtype: str,
           point: Point) -> np.ndarray:
    whole = dtype.startswith(_WHOLE)
    words = words or ("small" if whole else "normal")
    if words == "normal" and not whole:
        return generator.standard_normal(shape).astype(np.float32)
    if words in ("normal", "small"):
        least = 0 if dtype.startswith(("uint", "x")) else -8
        array = generator.integers(least, 8, shape)
        return array.astype(_host_type(dtype) if whole else np.float32)
    low, sign, high = words.partition(":")
    if not sign:
        raise UserError(tr("values '{}'; 'normal', 'small', 'LOW:HIGH', a .npy file or a function "
                           "is wanted", words))
    ends = evaluate(low, point), evaluate(high, point)
    if whole:
        return generator.integers(int(ends[0]), int(ends[1]) + 1, shape).astype(_host_type(dtype))
    return generator.uniform(ends[0], ends[1], shape).astype(np.float32)


def _host_type(dtype: str) -> Any:
    bits = {"int4": "int8", "uint4": "uint8", "x8": "uint8", "x16": "uint16", "x32": "uint32"}
    return np.dtype(bits.get(dtype, dtype))
