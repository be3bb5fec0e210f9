"""How far results are from a reference, in units that mean something, and whether the kernel or its
number format is to blame.

Three numbers stand for each element: what the kernel gave, what it would have given in real numbers
(the shadow, Tensor.real), and what the reference says. The first two differ by rounding, the last
two by what the kernel computes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from .comparison import compare
from .operands import values_of
from .tensor import Tensor
from .texts import tr

_MANTISSA = {"fp32": 23, "fp16": 10, "bf16": 7, "fp8e4m3": 3, "fp8e5m2": 2}
# Below it the spacing of a type does not shrink any more.
_LEAST_EXPONENT = {"fp32": -126, "fp16": -14, "bf16": -126, "fp8e4m3": -6, "fp8e5m2": -14}
# What the shadow, a sum in double precision, may be off from a reference that sums in another
# order, as a share of the largest magnitude.
_SAME_IN_REAL = 1e-6
# Without a tolerance rounding may cost so much of the largest magnitude; more is no rounding.
_MOST_ROUNDING = 0.05


@dataclass(frozen=True)
class Accuracy:
    """A result beside its reference.

    ``ulp`` is the largest difference in units of the last place of the result's type, ``relative``
    the largest one as a share of the largest magnitude; ``rounding`` that part of it which the
    number format is to blame for and ``computed`` the kernel's own, both None without a shadow.
    ``wrong`` says whether it fails, and the texts how.
    """

    elements: int = 0
    ulp: float = 0.0
    relative: float = 0.0
    rounding: float | None = None
    computed: float | None = None
    wrong: bool = False
    headline: str = ""
    text: str = ""
    blame: str = ""
    index: tuple[int, ...] = ()


@dataclass(frozen=True)
class Judgement:
    """By what results are judged: a tolerance as compare() takes it; None for its default, beyond
    which rounding alone is no fault."""

    tolerance: str | None = None

    def judge(self, got: Tensor, want: np.ndarray) -> Accuracy:
        found = compare(got, want, self.tolerance)
        values, wanted = values_of(got).astype(np.float64), np.asarray(want, np.float64)
        scale = _largest(wanted)
        difference = _difference(values, wanted)
        ulp = float(np.max(difference / _spacing(wanted, got.dtype), initial=0.0))
        relative = float(np.max(difference, initial=0.0)) / scale
        rounding = computed = None
        if _has_shadow(got):
            real = got.real()
            rounding = float(np.max(_difference(values, real), initial=0.0)) / scale
            computed = float(np.max(_difference(real, wanted), initial=0.0)) / scale
        measured: dict[str, Any] = {"elements": found.elements, "ulp": ulp, "relative": relative,
                                    "rounding": rounding, "computed": computed}
        blame = "" if computed is None else (
            "format" if computed <= _SAME_IN_REAL else "kernel")
        if found or self._is_rounding(relative, blame):
            return Accuracy(**measured, blame=blame)
        text = str(found)
        index = found.first[0] if found.first is not None else ()
        return Accuracy(**measured, wrong=True, headline=_headline(found, index), blame=blame,
                        text=text + _blame_text(blame, rounding, computed), index=index)

    def _is_rounding(self, relative: float, blame: str) -> bool:
        return self.tolerance is None and blame == "format" and relative <= _MOST_ROUNDING


def proposed_tolerance(relative: float) -> str:
    """What results of this error pass with room for twice of it: one digit, upwards."""
    if relative == 0 or not math.isfinite(relative):
        return "abs=0"
    power = 10.0 ** math.floor(math.log10(2 * relative))
    return f"{math.ceil(2 * relative / power - 1e-9) * power:.0e}".replace("e-0", "e-")


def _headline(found: Any, index: tuple[int, ...]) -> str:
    said = tr("{} of {} elements differ", found.differing, found.elements)
    if found.first is not None:
        said += tr(", the first at {}: {:g} where {:g} is right", list(index), *found.first[1:])
    return said + (f"; {found.patterns[0]}" if found.patterns else "")


def _blame_text(blame: str, rounding: float | None, computed: float | None) -> str:
    if blame == "kernel":
        return "\n" + tr("in real numbers the kernel would be off by {:.1e} of the largest magnitude: "
                         "it computes something else", computed)
    if blame == "format":
        return "\n" + tr("in real numbers the kernel would be right: rounding costs {:.1e} of the "
                         "largest magnitude", rounding)
    return ""


def _has_shadow(tensor: Tensor) -> bool:
    return tensor.device.shadow and tensor._plain and tensor._bits >= 8 and tensor.size > 0


def _largest(values: np.ndarray) -> float:
    finite = np.abs(values[np.isfinite(values)])
    return float(np.max(finite, initial=0.0)) or 1.0


def _difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """|a - b|; 0 where both are the same infinity or NaN, infinite where one alone is none."""
    with np.errstate(invalid="ignore", over="ignore"):
        apart = np.abs(a - b)
    same = (a == b) | (np.isnan(a) & np.isnan(b))
    return np.where(same, 0.0, np.where(np.isfinite(apart), apart, np.inf))


def _spacing(values: np.ndarray, dtype: str) -> np.ndarray:
    """The distance of neighbouring numbers of a type at each value; 1 of integers."""
    if dtype not in _MANTISSA:
        return np.ones_like(values)
    with np.errstate(divide="ignore", invalid="ignore"):
        exponent = np.floor(np.log2(np.abs(np.where(np.isfinite(values), values, 1.0))))
    exponent = np.maximum(np.where(np.isfinite(exponent), exponent, -1000), _LEAST_EXPONENT[dtype])
    return np.exp2(exponent - _MANTISSA[dtype])
