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


def plan(chip: str, tensors: Mapping[str, Operand | Sequence[int]],
         shared_banks: bool = False) -> Plan:
    """Plans local memory for ``tensors`` by name; a shape alone is an aligned fp32 tensor.

    A part cuts N, then H, then W, then C. ``shared_banks`` lets buffers share banks, which makes
    larger parts and costs time.
    """
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
    return Plan(_native.plan(chip, asked, shared_banks))
