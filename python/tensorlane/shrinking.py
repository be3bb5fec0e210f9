"""From a point at which a kernel fails to the smallest one."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from .kernel_runs import Failure
from .sizes import Point, Sizes

# Smaller values of a size that are tried one by one; of more, its corners and halves.
_EACH = 192


def smallest(sizes: Sizes, corners: dict[str, list[int]], failure: Failure,
             run: Callable[[Point], Failure | None], most: int = 1000) -> tuple[Failure, bool]:
    """The failure of the same cause at a point no size of which can be made smaller alone, and
    whether that was made sure of with at most ``most`` runs."""
    left, sure = most, True
    tried: set[tuple[Any, ...]] = set()
    again = True
    while again and left > 0:
        again = False
        for name in sizes.names:
            values = _smaller(sizes.values[name], failure.point[name], corners.get(name, []))
            sure = sure and len(values) <= _EACH
            for value in values:
                point = {**failure.point, name: value}
                key = tuple(point.values())
                if key in tried or not sizes.holds(point):
                    continue
                if left == 0:
                    return failure, False
                left -= 1
                tried.add(key)
                found = run(point)
                if found is not None and (found.kind, found.id) == (failure.kind, failure.id):
                    failure, again = found, True
                    break
    return failure, sure and not again


def _smaller(values: Sequence[Any], than: Any, corners: Sequence[int]) -> list[Any]:
    below = list(values[:values.index(than)])
    if len(below) <= _EACH or not isinstance(than, int):
        return below
    kept = {*below[:_EACH // 2], *(each for each in corners if each < than), *below[-_EACH // 4:]}
    step = (than - below[0]) // 2
    while step > 0:
        kept.update(each for each in (than - step,) if each in values)
        step //= 2
    return sorted(kept)
