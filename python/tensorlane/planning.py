"""The budget of local memory before a kernel is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Mapping, Sequence

from . import _native
from .errors import UserError
from .layouts import Layout, layout
from .texts import tr


@dataclass(frozen=True)
class Operand:
    """A tensor that a kernel keeps in local memory.

    ``shape`` in the order of the layout's axes, ``layout`` a name of the chip's system or a Layout;
    ``buffers`` of it (2 where one is loaded while the other is computed on); ``whole`` for what
    every part needs whole, weights for one.
    """

    shape: Sequence[int]
    dtype: Any = "fp32"
    layout: str | Layout = "aligned"
    buffers: int = 1
    whole: bool = False


@dataclass(frozen=True)
class PlacedBuffer:
    """A buffer of a plan: its local address, bytes in every NPU, and the shape of a part."""

    tensor: str
    buffer: int
    address: int
    bytes: int
    shape: tuple[int, ...]


class Plan:
    """Which part of some tensors fits local memory, and where its buffers lie. Notebooks show its
    picture.

    ``fits`` tells whether all of it fits at once, ``tile`` the extents of a part ("n", "c", "h",
    "w") or None where not even the smallest does, ``parts`` how many there are, ``own_banks``
    whether each buffer has banks of its own, ``bytes_per_npu`` what the whole would take.
    """

    def __init__(self, native: _native.LocalPlan):
        self._native = native
        self.fits: bool = native.fits
        self.own_banks: bool = native.own_banks
        self.parts: int = native.parts
        self.tile: dict[str, int] | None = native.tile
        self.bytes_per_npu: int = native.bytes_per_npu
        self.buffers = [PlacedBuffer(row["tensor"], row["buffer"], row["address"], row["bytes"],
                                     tuple(row["shape"])) for row in native.places]

    def svg(self) -> str:
        """Local memory with its banks and buffers, as SVG."""
        return self._native.svg()

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        return f"<Plan of {self.parts} parts, tile {self.tile}>"


def _asked(chip: str, tensors: Mapping[str, Operand | Sequence[int]]) -> list[Any]:
    if not tensors:
        raise UserError(tr("a plan needs a tensor"))
    asked = []
    for name, given in tensors.items():
        operand = given if isinstance(given, Operand) else Operand(given)
        which = operand.layout
        if not isinstance(which, Layout):
            which = layout(which if ":" in which else f"{chip}:{which}", operand.shape,
                           operand.dtype)
        asked.append((name, which._native, operand.buffers, operand.whole))
    return asked


@dataclass(frozen=True)
class LayerCommand:
    """A command of a layer: ``output`` of ``inputs``, by name. The window (height, width) slides over
    the first input; a tensor with axes o and i is its weights."""

    output: str
    inputs: Sequence[str]
    kernel: tuple[int, int] = (1, 1)
    stride: tuple[int, int] = (1, 1)
    pad: tuple[int, int] = (0, 0)
    dilation: tuple[int, int] = (1, 1)


class LayerPlan:
    """The plan of a network's layer, or of some fused: the result cut into even parts, with what
    each needs of the other tensors.

    ``fits`` tells whether any part does, ``cuts`` in how many parts each axis of the result is cut,
    ``parts`` how many there are, ``loaded_bytes`` what they load, ``channels_outside`` whether the
    loop over output channels is the outer one, ``buffers`` where everything lies.
    """

    def __init__(self, native: _native.LayerPlan):
        self._native = native
        self.fits: bool = native.fits
        self.own_banks: bool = native.own_banks
        self.parts: int = native.parts
        self.cuts: dict[str, int] = native.cuts
        self.channels_outside: bool = native.channels_outside
        self.loaded_bytes: int = native.loaded_bytes
        self.least_bytes: int = native.least_bytes
        self.buffers = [PlacedBuffer(row["tensor"], row["buffer"], row["address"], row["bytes"],
                                     tuple(row["shape"])) for row in native.places]

    def spans(self, tensor: str, axis: str) -> list[tuple[int, int]]:
        """First index and count along ``axis`` of every part; one where the axis is not cut."""
        return [(first, count) for first, count in self._native.spans(tensor, axis)]

    def c(self) -> str:
        """The plan as constants in C."""
        return self._native.c()

    def python(self) -> str:
        """The plan as constants in Python."""
        return self._native.python()

    def __repr__(self) -> str:
        return f"<LayerPlan of {self.parts} parts, cuts {self.cuts}>"


def plan_layer(chip: str, tensors: Mapping[str, Operand | Sequence[int]],
               commands: Sequence[LayerCommand], shared_banks: bool = False) -> LayerPlan:
    """Plans local memory for commands that share ``tensors``; as plan(), but of a whole layer: parts
    of the result with their halo rows, output channels with their weights."""
    windows = [(each.output, list(each.inputs),
                [list(each.kernel), list(each.stride), list(each.pad), list(each.dilation)])
               for each in commands]
    return LayerPlan(_native.plan_layer(chip, _asked(chip, tensors), windows, shared_banks))


def plan(chip: str, tensors: Mapping[str, Operand | Sequence[int]],
         shared_banks: bool = False) -> Plan:
    """Plans local memory for ``tensors`` by name; a shape alone is an aligned fp32 tensor.

    A part cuts N, then H, then W, then C. ``shared_banks`` lets buffers share banks, which makes
    larger parts and costs time.
    """
    return Plan(_native.plan(chip, _asked(chip, tensors), shared_banks))
