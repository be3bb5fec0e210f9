"""Assertions on tensors, and tests over many shapes and types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Sequence, TypeVar

from .comparison import Comparison, compare
from .tensor import Tensor
from .texts import tr

if TYPE_CHECKING:
    from .why import Chain

_Test = TypeVar("_Test", bound=Callable[..., Any])


def assert_equal(got: Any, want: Any) -> None:
    """Raises AssertionError unless all elements are equal; NaN is equal to NaN.

    ``got`` is a tensor or an array, ``want`` an array of the same shape. The message shows which
    elements differ and what that looks like; of a tensor whose device keeps its history (those of
    the pytest fixtures do) also where the first wrong element came from.
    """
    __tracebackhide__ = True
    _check(got, compare(got, want, "abs=0"))


def assert_close(got: Any, want: Any, tolerance: str | None = None, *, rtol: float | None = None,
                 atol: float | None = None) -> None:
    """Raises AssertionError unless all elements are close enough: see compare() for ``tolerance``,
    and ``rtol`` and ``atol`` in its place.

    The message is that of assert_equal.
    """
    __tracebackhide__ = True
    _check(got, compare(got, want, tolerance, rtol=rtol, atol=atol))


def _check(got: Any, found: Comparison) -> None:
    __tracebackhide__ = True
    if found:
        return
    text = str(found)
    chain = _chain_of_first(got, found.first[0]) if found.first is not None else None
    if chain is not None:
        text += tr("\n\nwhere element {} came from:\n{}",
                   list(found.first[0]), chain)  # type: ignore
    raise AssertionError(text)


def _chain_of_first(got: Any, index: tuple[int, ...]) -> Chain | None:
    if not isinstance(got, Tensor) or not got.device.keeps_history:
        return None
    if got.layout is not None and (got.layout.is_local or got.layout.is_image):
        return None  # its elements have no addresses in global memory
    return got.device.why(got, index)


def cases(shapes: Iterable[Sequence[int]] | None = None, dtypes: Iterable[Any] | None = None,
          **more: Iterable[Any]) -> Callable[[_Test], _Test]:
    """A decorator that runs a pytest test once for every combination.

        @tensorlane.cases(shapes=[(1, 64, 8, 8), (3, 70, 5, 7)], dtypes=["fp32", "fp16"])
        def test_relu(bm1684x, shape, dtype): ...

    The test gets ``shape`` and ``dtype``, and the arguments named in ``more``.
    """
    import pytest

    marks = []
    if shapes is not None:
        shapes = [tuple(shape) for shape in shapes]
        marks.append(pytest.mark.parametrize(
            "shape", shapes, ids=["x".join(map(str, shape)) or "scalar" for shape in shapes]))
    if dtypes is not None:
        dtypes = list(dtypes)
        marks.append(pytest.mark.parametrize("dtype", dtypes, ids=[_name(each) for each in dtypes]))
    marks += [pytest.mark.parametrize(name, list(values)) for name, values in more.items()]

    def decorate(test: _Test) -> _Test:
        for mark in marks:
            test = mark(test)
        return test

    return decorate


def _name(dtype: Any) -> str:
    return getattr(dtype, "__name__", str(dtype))
