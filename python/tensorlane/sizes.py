"""The sizes of a kernel: names, the values that each may take, what must hold between them."""

from __future__ import annotations

import itertools
import math
from typing import Any, Callable, Iterable, Iterator, Mapping, Sequence

from .errors import UserError
from .expressions import evaluate
from .texts import tr

Point = dict[str, Any]
Condition = str | Callable[[Point], bool]


class Sizes:
    """A space of sizes.

    ``values`` by name: a range, a tuple of its two ends (both belong to it), or a list of the
    values that there are, which may be texts. ``where`` are conditions: expressions of sizes, or
    functions of a point.
    """

    def __init__(self, values: Mapping[str, Any], where: Condition | Iterable[Condition] = ()):
        if not values:
            raise UserError(tr("no size is given: at least one is what a kernel is tried over"))
        self.values: dict[str, Sequence[Any]] = {
            name: _values(name, given) for name, given in values.items()}
        self.names = tuple(self.values)
        self.where: list[Condition] = (
            [where] if isinstance(where, str) or callable(where) else list(where))
        self.count = math.prod(len(each) for each in self.values.values())

    def numbers(self, name: str) -> bool:
        """Whether a size is a number, not a choice of texts."""
        return isinstance(self.values[name][0], int)

    def holds(self, point: Point) -> bool:
        """Whether a point is one of the space."""
        return all(bool(evaluate(each, point)) if isinstance(each, str) else bool(each(point))
                   for each in self.where)

    def point(self, values: Sequence[Any]) -> Point:
        return dict(zip(self.names, values))

    def all(self) -> Iterator[Point]:
        """All points that hold, the smallest first."""
        points = [values for values in itertools.product(*self.values.values())]
        points.sort(key=volume_of)
        for values in points:
            point = self.point(values)
            if self.holds(point):
                yield point

    def has(self, name: str, value: Any) -> bool:
        return value in self.values[name]

    def text(self) -> str:
        """All of it in a line: "rows 1..512, cols 1..2048, dtype fp16|fp32"."""
        said = []
        for name, values in self.values.items():
            if isinstance(values, range):
                step = "" if abs(values.step) == 1 else tr(" in steps of {}", values.step)
                said.append(f"{name} {values[0]}..{values[-1]}{step}")
            else:
                said.append(f"{name} {'|'.join(map(str, values))}")
        conditions = [each for each in self.where if isinstance(each, str)]
        return ", ".join(said) + (tr(" where {}", ", ".join(conditions)) if conditions else "")


def volume_of(values: Iterable[Any]) -> tuple[int, tuple[str, ...]]:
    """What points are ordered by: the product of their numbers, then the numbers themselves."""
    kept = tuple(values)
    numbers = [max(1, each) for each in kept if isinstance(each, int)]
    return math.prod(numbers), tuple(f"{each:012}" if isinstance(each, int) else str(each)
                                     for each in kept)


def size_text(point: Point) -> str:
    return " ".join(f"{name}={value}" for name, value in point.items())


def _values(name: str, given: Any) -> Sequence[Any]:
    if not isinstance(name, str) or not name.isidentifier():
        raise UserError(tr("{} is no name of a size", repr(name)))
    if isinstance(given, range):
        values: Sequence[Any] = given
    elif isinstance(given, tuple) and len(given) == 2 and all(type(end) is int for end in given):
        values = range(given[0], given[1] + 1)
    elif isinstance(given, (list, tuple)) and given and (
            all(type(each) is int for each in given) or
            all(isinstance(each, str) for each in given)):
        values = tuple(sorted(dict.fromkeys(given)))
    else:
        raise UserError(tr("size {} = {}; a range, both ends as (1, 512), or a list of whole "
                           "numbers or texts is wanted", name, repr(given)))
    if len(values) == 0:
        raise UserError(tr("size {} = {} has no values", name, repr(given)))
    if isinstance(values, range) and values.step < 0:
        values = values[::-1]
    return values
