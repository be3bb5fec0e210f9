"""Shapes as they are given, and which bytes an index of numpy asks for."""

from __future__ import annotations

import operator
from typing import Any, Sequence

import numpy as np

from .errors import UserError
from .texts import tr


def extents_of(shape: int | Sequence[int]) -> tuple[int, ...]:
    """A shape as whole numbers of 0 or more; one number is a single axis. UserError for others."""
    try:
        given: tuple[Any, ...] = (operator.index(shape),)  # type: ignore[arg-type]
    except TypeError:
        given = tuple(shape) if isinstance(shape, (Sequence, np.ndarray)) and not isinstance(
            shape, (str, bytes)) else (shape,)
    extents = []
    for extent in given:
        try:
            extents.append(operator.index(extent))
        except TypeError:
            raise UserError(tr("shape {}: {} is no whole number", _said(shape), repr(extent))
                            ) from None
        if extents[-1] < 0:
            raise UserError(tr("shape {}: an extent is negative", _said(shape)))
    return tuple(extents)


def _said(shape: Any) -> str:
    return repr(tuple(shape)) if isinstance(shape, (list, np.ndarray)) else repr(shape)


def bytes_of_index(index: Any, shape: tuple[int, ...], dtype: np.dtype) -> tuple[np.ndarray, int]:
    """The bytes of row-major elements that ``array[index]`` reads, as pieces of the same length:
    where each begins (int64), and that length. Raises IndexError as numpy does."""
    words = index if isinstance(index, tuple) else (index,)
    if not all(word is None or word is Ellipsis or isinstance(word, (int, np.integer, slice)) and
               not isinstance(word, (bool, np.bool_)) for word in words):
        numbers = np.arange(int(np.prod(shape, dtype=np.int64))).reshape(shape)
        return _pieces_of(np.unique(numbers[index]) * dtype.itemsize, dtype.itemsize)
    # An array that lies nowhere: nothing of it is read.
    one = np.empty(1, dtype)
    steps, step = [], dtype.itemsize
    for extent in reversed(shape):
        steps.append(step)
        step *= extent
    whole = np.lib.stride_tricks.as_strided(one, shape, tuple(reversed(steps)), writeable=False)
    part = whole[words if any(word is Ellipsis for word in words) else (*words, Ellipsis)]
    begin = part.__array_interface__["data"][0] - one.__array_interface__["data"][0]
    return _runs(begin, part.shape, part.strides, dtype.itemsize)


def _runs(begin: int, shape: tuple[int, ...], strides: tuple[int, ...],
          item: int) -> tuple[np.ndarray, int]:
    """The pieces of a strided view."""
    if 0 in shape:
        return np.empty(0, np.int64), 0
    axes = []
    for extent, stride in zip(shape, strides):
        if stride < 0:  # the same elements from the other end
            begin, stride = begin + (extent - 1) * stride, -stride
        if extent > 1:
            axes.append((stride, extent))
    axes.sort()
    run = item
    while axes and axes[0][0] == run:
        run *= axes.pop(0)[1]
    offsets = np.array([begin], np.int64)
    for stride, extent in reversed(axes):
        offsets = (offsets[:, None] + stride * np.arange(extent, dtype=np.int64)).reshape(-1)
    return offsets, run


def _pieces_of(offsets: np.ndarray, item: int) -> tuple[np.ndarray, int]:
    """The same of single elements; one piece where they follow each other."""
    if offsets.size and offsets[-1] - offsets[0] == (offsets.size - 1) * item:
        return offsets[:1].astype(np.int64), offsets.size * item
    return offsets.astype(np.int64), item
