"""What a tuner may choose: parameters with their values, and which choices make sense."""

from __future__ import annotations

import math
import random
from typing import Any, Callable, Iterator, Mapping, Sequence, Union

from .errors import UserError
from .planning import Plan
from .texts import tr

Value = Union[int, float, str]
Point = Mapping[str, Value]  # a value for each parameter
Constraint = Callable[[Point], Union[bool, str, Plan]]


class Space:
    """All combinations of the values of macros and of argument fields, numbered from 0.

    ``macros`` and ``fields`` are names with their values: a list or a range of numbers or texts.
    The last name changes fastest. ``constraints`` are asked for each point: True or an empty text
    where it may be tried; False, or a text that says why not; or a Plan, which has to fit local
    memory.
    """

    def __init__(self, macros: Mapping[str, Sequence[Value]],
                 fields: Mapping[str, Sequence[Value]], constraints: Sequence[Constraint] = ()):
        for name in macros:
            if name in fields:
                raise UserError(tr("'{}' is both a macro and a field", name))
        self.macros = tuple(macros)
        self.values = {name: _values(name, values) for name, values in {**macros, **fields}.items()}
        if not self.values:
            raise UserError(tr("a space needs a macro or a field"))
        self.constraints = tuple(constraints)

    @property
    def size(self) -> int:
        """How many points it has, those that constraints exclude too."""
        return math.prod(len(values) for values in self.values.values())

    def point(self, number: int) -> dict[str, Value]:
        """The values of point ``number``."""
        chosen = {}
        for name, values in reversed(self.values.items()):
            number, at = divmod(number, len(values))
            chosen[name] = values[at]
        return {name: chosen[name] for name in self.values}

    def number(self, point: Point) -> int:
        """The number of ``point``. Raises UserError where it is none of the space."""
        if set(point) != set(self.values):
            raise UserError(tr("{} is no point: the parameters are {}", dict(point),
                               ', '.join(self.values)))
        number = 0
        for name, values in self.values.items():
            if point[name] not in values:
                raise UserError(tr("{} = {} is none of its values: {}", name, repr(point[name]),
                                   ', '.join(map(str, values))))
            number = number * len(values) + values.index(point[name])
        return number

    def without_constraints(self) -> Space:
        """The same points, none excluded."""
        return Space({name: self.values[name] for name in self.macros},
                     {name: values for name, values in self.values.items()
                      if name not in self.macros})

    def excluded(self, point: Point) -> str | None:
        """Why a constraint excludes ``point``; None where none does."""
        for constraint in self.constraints:
            said = constraint(point)
            if isinstance(said, Plan):
                said = said.fits or "does not fit local memory"
            if isinstance(said, str):
                if said:
                    return said
            elif not said:
                return "excluded by a constraint"
        return None

    def numbers(self, trials: int | None, seed: int) -> Iterator[int]:
        """Numbers of points that may be tried: all in order, or ``trials`` of them at random."""
        order = range(self.size) if trials is None else self.shuffled(seed)
        found = 0
        for number in order:
            if trials is not None and found >= trials:
                return
            if self.excluded(self.point(number)) is None:
                found += 1
                yield number

    def shuffled(self, seed: int) -> Iterator[int]:
        """The number of each point once, in an order that ``seed`` decides; large spaces cost no
        memory for what nobody asks for (a shuffle that moves on demand)."""
        generator, moved = random.Random(seed), dict[int, int]()
        for at in range(self.size):
            other = generator.randrange(at, self.size)
            yield moved.get(other, other)
            moved[other] = moved.pop(at, at)


def _values(name: str, values: Sequence[Value]) -> tuple[Value, ...]:
    if isinstance(values, (str, bytes)) or not hasattr(values, "__iter__"):
        raise UserError(tr("{} = {}: a parameter takes a list or a range of values", name,
                           repr(values)))
    listed = tuple(each.item() if hasattr(each, "item") else each for each in values)
    if not listed:
        raise UserError(tr("{} has no values", name))
    for value in listed:
        if not isinstance(value, (int, float, str)):
            raise UserError(tr("{} = {}: values are numbers or texts", name, repr(value)))
    if len(set(listed)) != len(listed):
        raise UserError(tr("{} has a value twice", name))
    return listed

