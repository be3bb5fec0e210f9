"""Arrays against references, and runs against runs."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import _native
from .dtypes import dtype_name, from_bf16, from_fp8
from .errors import UserError
from .tensor import Tensor
from .texts import tr


@dataclass(frozen=True)
class Comparison:
    """Two arrays of one shape: which elements differ, and what that looks like.

    ``differing`` of ``elements`` differ; ``first`` and ``worst`` are indices with what was there
    and what should be; ``patterns`` explain the differences in words, the best first.
    """

    elements: int
    differing: int
    first: tuple[tuple[int, ...], float, float] | None
    worst: tuple[tuple[int, ...], float, float] | None
    patterns: tuple[str, ...]
    text: str

    def __bool__(self) -> bool:
        """Whether all agree."""
        return self.differing == 0

    def __str__(self) -> str:
        return self.text


def compare(got: Any, want: Any, tolerance: str | None = None, *, rtol: float | None = None,
            atol: float | None = None) -> Comparison:
    """Compares a tensor or array with a reference of the same shape.

    ``tolerance`` is "1e-3" (of the reference and, near 0, of its largest magnitude), or some of
    "abs=X", "rel=X", "ulp=N" with commas; by default what a sum in another order may cost in the
    type of ``got``, and nothing for integers. In its place ``rtol`` and ``atol`` say, as for numpy,
    that |got - want| <= atol + rtol * |want|; one that is not given is 0.
    """
    if rtol is not None or atol is not None:
        if tolerance is not None:
            raise UserError(tr("tolerance and rtol or atol are both given"))
        tolerance = f"abs={_share('atol', atol)},rel={_share('rtol', rtol)}"
    values, name = _numbers(got)
    wanted, _ = _numbers(want)
    if values.shape != wanted.shape:
        raise UserError(tr("got has shape {}, want {}", values.shape, wanted.shape))
    found = json.loads(_native.compare(values, wanted, values.shape, name, tolerance or ""))

    def place(difference: dict[str, Any]) -> tuple[tuple[int, ...], float, float] | None:
        if difference["at"] < 0:
            return None
        index = tuple(int(i) for i in np.unravel_index(difference["at"], values.shape))
        return index, float(values[index]), float(wanted[index])

    counts = tr("{} of {} elements differ", found["differing"], found["elements"])
    patterns = tuple(pattern["text"] for pattern in found["places"] + found["values"])
    return Comparison(found["elements"], found["differing"], place(found["first"]),
                      place(found["worst"]), patterns,
                      "\n".join([counts, *found["lines"]]))


def _share(name: str, given: float | None) -> str:
    """A tolerance as parse_tolerance takes it: all its digits."""
    try:
        share = 0.0 if given is None else float(given)
    except (TypeError, ValueError):
        share = -1.0
    if not 0 <= share < float("inf"):
        raise UserError(tr("{} = {}; it must be a number of 0 or more", name, repr(given)))
    return repr(share)


def _numbers(array: Any) -> tuple[np.ndarray, str]:
    """As float64, and the element type they had."""
    name = array.dtype if isinstance(array, Tensor) else None
    values = array.numpy() if isinstance(array, Tensor) else np.asarray(array)
    if name is None:
        name = "fp32" if values.dtype == np.float64 else (
            "int32" if values.dtype in (np.int64, np.uint64) else dtype_name(values.dtype))
    if name == "bf16":
        values = from_bf16(values)
    elif name in ("fp8e4m3", "fp8e5m2"):
        values = from_fp8(values, name[3:])
    return np.ascontiguousarray(values, np.float64), name


@dataclass(frozen=True)
class LogDifference:
    """Two command logs: whether the runs did the same, and the text of `tensorlane diff`."""

    same: bool
    text: str

    def __str__(self) -> str:
        return self.text


def diff(a: str | os.PathLike[str], b: str | os.PathLike[str],
         tolerance: float = 0.0) -> LogDifference:
    """Compares two runs by their command logs (Device's ``log``): the first results that differ,
    what each line costs. ``tolerance`` is a share of the largest magnitude; 0: the same bits."""
    return LogDifference(*_native.compare_logs(os.fspath(a), os.fspath(b), tolerance))
