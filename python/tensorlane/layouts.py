"""Layouts of BM1684, BM1684X and MACE: where an element lies, pictures, conversion."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

from . import _native
from .dtypes import dtype_name, numpy_dtype, stored, unpack_int4
from .errors import UserError
from .indexing import extents_of
from .texts import tr

_NAME = re.compile(r"[A-Za-z_][\w-]*")  # of a chip; what begins otherwise is a layout written out


class Layout:
    """A tensor in a named layout; made by layout().

    ``owner`` is whose it is ("bm1684x", "mace"), ``name`` that of the layout, ``shape`` in the
    order of ``axes`` ("n", "c", "h", "w"), ``dtype`` as TensorLane spells it. Notebooks show its
    picture.
    """

    def __init__(self, native: _native.NamedLayout):
        self._native = native

    @property
    def owner(self) -> str:
        return self._native.owner

    @property
    def name(self) -> str:
        return self._native.name

    @property
    def dtype(self) -> str:
        return self._native.dtype

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self._native.shape)

    @property
    def axes(self) -> tuple[str, ...]:
        return tuple(self._native.axes)

    @property
    def strides(self) -> tuple[int, ...]:
        """Per axis, in the unit of the layout (elements, for 4N and 2N words, for 2IC pairs); empty
        where one number does not tell."""
        return tuple(self._native.strides)

    @property
    def is_local(self) -> bool:
        """Whether it is one of local memory, dealt to the NPUs."""
        return self._native.is_local

    @property
    def is_image(self) -> bool:
        """Whether it is one of images: elements are lanes of pixels."""
        return self._native.is_image

    @property
    def is_row_major(self) -> bool:
        """Whether memory lists the elements in logical order, without gaps."""
        return self._native.is_row_major

    @property
    def nbytes(self) -> int:
        """All bytes the tensor takes: the buffer or image, or what it reserves in all NPUs."""
        return self._native.nbytes

    @property
    def bytes_per_npu(self) -> int:
        """Of local layouts: the bytes reserved in every NPU."""
        return self._native.bytes_per_npu

    @property
    def notation(self) -> str:
        """The layout written out: axes, extents and strides, as layout() takes it for a name."""
        return self._native.notation

    @property
    def rule(self) -> str:
        """The formula."""
        return self._native.rule

    def address(self, *index: int) -> tuple[int, ...]:
        """Where an element lies: (npu, offset) in local memory, (offset,) in linear memory, both in
        bytes, with the nibble behind it for 4-bit types; (x, y, lane) of an image.

        Raises UserError for an index outside the shape.
        """
        if len(index) == 1 and isinstance(index[0], (tuple, list)):
            index = tuple(index[0])
        return self._native.address(index)

    def table(self) -> np.ndarray:
        """The place of every element, in logical order: a structured array with a field of int64
        per axis and per number of address()."""
        places = self._native.place_names
        names = [*self.axes, *places]
        rows = int(np.prod(self.shape, dtype=np.int64))
        table = np.zeros((rows, len(names)), np.int64)
        self._native.fill_table(table)
        return table.view([(name, np.int64) for name in names]).reshape(rows)

    def pack(self, array: Any) -> np.ndarray:
        """The bytes of ``array`` (of ``shape``, row-major) in this layout: uint8, (nbytes,).

        Bytes without an element are zero. In local layouts the reserved bytes of NPU 0 come first,
        then those of NPU 1, and so on.
        """
        if np.shape(array) != self.shape:
            raise UserError(tr("array has shape {}, the layout {}", np.shape(array), self.shape))
        self._warn_of_lost_elements()
        out = np.zeros(self.nbytes, np.uint8)
        data, _ = stored(array, self.dtype)
        _native.convert(self._native, out, _native.row_major(self._native), data)
        return out

    def unpack(self, data: Any) -> np.ndarray:
        """The elements of bytes in this layout (as pack() gives them): an array of ``shape``."""
        plain = _native.row_major(self._native)
        out = np.zeros(plain.nbytes, np.uint8)
        _native.convert(plain, out, self._native, np.ascontiguousarray(data))
        if self.dtype in ("int4", "uint4"):
            return unpack_int4(out, self.shape, self.dtype == "int4")
        return out.view(numpy_dtype(self.dtype)).reshape(self.shape)

    def convert(self, data: Any, to: Layout) -> np.ndarray:
        """Bytes in this layout as bytes in another: uint8, (to.nbytes,). The element types may
        differ; axes of the same letters are matched, between others elements keep their order."""
        to._warn_of_lost_elements()
        out = np.zeros(to.nbytes, np.uint8)
        _native.convert(to._native, out, self._native, np.ascontiguousarray(data))
        return out

    def _warn_of_lost_elements(self) -> None:
        if not self._native.holds_elements:
            warnings.warn(tr("{} {} holds zeros only, as MACE writes it: its depthwise filter needs "
                             "M = 1, no element is stored", self.name, self.shape), stacklevel=3)

    # ---- The algebra of layouts as functions from an index to an address (layout/algebra.h).
    # Results are layouts written out; addresses count elements.

    @property
    def cute(self) -> str | None:
        """The text that CuTe prints of it, shape:stride; None where CuTe has no such layout."""
        return _native.cute(self._native)

    @property
    def formula(self) -> str:
        """From a place p (in elements) to the index, and where no element lies."""
        return _native.inverse_text(self._native)

    def element_at(self, address: int) -> tuple[int, ...] | None:
        """The index of the element at a linear address in bytes (nibbles of 4-bit types); None for
        padding."""
        index = _native.element_at(self._native, address)
        return None if index is None else tuple(index)

    def coalesce(self) -> Layout:
        """The same places in as few digits as it takes."""
        return Layout(_native.coalesced(self._native))

    def compose(self, inner: Layout) -> Layout:
        """This layout after ``inner``: addresses of ``inner`` number this one's elements, the last
        axis fastest."""
        return Layout(_native.composition(self._native, inner._native))

    def complement(self, size: int) -> Layout:
        """The addresses below ``size`` that this layout leaves out."""
        return Layout(_native.complement(self._native, size))

    def inverse(self) -> Layout:
        """From a place to the element's number, where every place holds one."""
        return Layout(_native.inverse(self._native))

    def divide(self, tile: Sequence[int]) -> Layout:
        """Cut into tiles: how many there are along each axis, then the axes inside a tile."""
        return Layout(_native.divided(self._native, list(extents_of(tile))))

    def repeat(self, grid: Layout) -> Layout:
        """This layout as a tile, at every place of ``grid``."""
        return Layout(_native.tiled(self._native, grid._native))

    def slice(self, axis: str, first: int, count: int) -> Layout:
        """``count`` indices of an axis from ``first`` on."""
        return Layout(_native.sliced(self._native, axis, first, count))

    def at(self, axis: str, index: int) -> Layout:
        """The elements with this index along an axis, which the result does not have."""
        return Layout(_native.at_index(self._native, axis, index))

    def permute(self, axes: str) -> Layout:
        """The same places with the axes in another order, as in "NHWC"."""
        return Layout(_native.permuted(self._native, axes.upper()))

    def same_places(self, other: Layout) -> bool:
        """Whether every element lies at the same address in both; axes are matched by letters."""
        return _native.same_places(self._native, other._native)

    def conversion(self, to: Layout) -> Conversion:
        """What a conversion into ``to`` is, and its loops."""
        return Conversion(**_native.conversion(self._native, to._native))

    def names(self) -> list[Layout]:
        """The named layouts of the same system and of MACE that put every element there."""
        return [Layout(each) for each in _native.names_of(self._native)]

    def found_in(self, original: Any, dump: Any) -> list[Layout]:
        """The layouts in which the bytes of ``dump`` hold the array ``original``, whose axes and
        type are those of this (row-major) layout."""
        return [place.layout for place in self.places_in(original, dump)]

    def places_in(self, original: Any, dump: Any) -> list[DumpPlace]:
        """The same with where the array begins: the dump may have other bytes before and behind it,
        in local memory before and behind the part of every NPU."""
        data, _ = stored(original, self.dtype)
        return [DumpPlace(Layout(layout), begin, npu_bytes)
                for layout, begin, npu_bytes in _native.layouts_of_bytes(
                    self._native, data, np.ascontiguousarray(dump))]

    def svg(self) -> str:
        """A picture, as SVG."""
        return self._native.svg()

    def text(self, columns: int = 100) -> str:
        """A picture, as text of at most ``columns`` characters a line where it allows that."""
        return self._native.text(columns)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __repr__(self) -> str:
        shape = ",".join(map(str, self.shape))
        return f"<Layout {self.owner}:{self.name} {self.dtype} ({shape}), {self.nbytes} bytes>"


@dataclass(frozen=True)
class DumpPlace:
    """Where a dump holds an array: ``begin`` bytes from its begin, or from that of the
    ``npu_bytes`` that the dump has of every NPU (0: the NPUs follow each other without gaps)."""
    layout: Layout
    begin: int
    npu_bytes: int


@dataclass(frozen=True)
class Conversion:
    """What a conversion between two layouts is.

    ``kind``: "view" (no byte moves), "copy" (of runs), "transpose" (of blocks), "scatter" (element
    by element) or "convert" (into another type). ``runs`` of at least ``run_bytes`` bytes are moved;
    ``side_by_side`` elements follow each other in source and target. ``c`` and ``python`` are its
    loops.
    """

    kind: str
    runs: int
    run_bytes: int
    side_by_side: tuple[int, int]
    c: str
    python: str


@dataclass(frozen=True)
class LayoutRow:
    """A layout of the list: whose it is, its name and axes, what it is for, its formula."""

    system: str
    name: str
    axes: str
    summary: str
    rule: str


def layout(name: str, shape: Sequence[int], dtype: Any = "fp32", *,
           start_npu: int | None = None, offset: int | None = None,
           strides: Sequence[int] | None = None, cols_per_channel: int | None = None,
           winograd_block: int | None = None, system_memory: bool | None = None) -> Layout:
    """The layout ``name`` ("bm1684x:32IC", "mace:IN_OUT_CHANNEL") of a tensor.

    In place of a name it may be written out: "mace:OIhw4i16o", "bm1684:RK (2,(4,3)):(4,(1,8))".
    ``shape`` is in the order of the layout's axes: n, c, h, w, of weights o, i, h, w or i, o, h, w.
    ``start_npu`` is the NPU of the first channel, ``offset`` the bytes before the tensor,
    ``strides`` are for "free", 4N, 2N and 2IC, ``cols_per_channel`` for "matrix" and "vector",
    ``winograd_block`` for WINOGRAD_FILTER, ``system_memory`` for "free" outside of local memory.

    Raises UserError that names the parameter, its value and the rule.
    """
    owner, colon, which = name.partition(":")
    if not colon or not _NAME.fullmatch(owner):
        raise UserError(tr("layout '{}': expected CHIP:NAME, as in 'bm1684x:32IC'", name))
    return Layout(_native.NamedLayout(
        owner, which, dtype_name(dtype), list(extents_of(shape)), start_npu=start_npu,
        offset=offset, strides=strides, cols_per_channel=cols_per_channel,
        winograd_block=winograd_block, system_memory=system_memory))


def layouts(owner: str) -> list[LayoutRow]:
    """The layouts of "bm1684", "bm1684x" or "mace"."""
    return [LayoutRow(**row) for row in _native.layout_rows(owner)]


def layout_for(chip: str, given: str | Layout | None, shape: Sequence[int], dtype: str,
               options: Mapping[str, Any]) -> Layout | None:
    """The layout of a tensor that is to be made."""
    if given is None:
        if options:
            raise TypeError(tr("without a layout there is no {}", ', '.join(options)))
        return None
    if isinstance(given, Layout):
        if given.shape != tuple(shape) or given.dtype != dtype:
            raise UserError(tr("layout is for {} {}, the tensor is {} {}", given.dtype, given.shape,
                               dtype, tuple(shape)))
        return given
    named = _NAME.fullmatch(given.partition(":")[0]) and ":" in given
    name = given if named else f"{chip}:{given}"
    return layout(name, shape, dtype, **options)
