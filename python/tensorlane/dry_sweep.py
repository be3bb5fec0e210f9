"""Dry runs over a space of sizes: all of it where that is affordable, else lines and chance points.

A dry run costs a fraction of a millisecond and finds what does not depend on values: overflow of
local memory, bounds of tensors, alignment, limits of functions, races, results that nobody writes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Callable, Iterable, Iterator

from .dry_worker import run_dry
from .kernel_runs import Failure, KernelRuns
from .sizes import Point, Sizes, volume_of


# Points that may fail before the rest is left: more failures of one cause say nothing new.
_MOST_FAILURES = 16


@dataclass
class Sweep:
    """What dry runs showed: the failure at the smallest point of each cause, whether all points ran,
    and those at which the kernel takes another course than at the point before."""

    points: int = 0
    complete: bool = False
    stopped: bool = False
    failures: dict[tuple[str, str, str], Failure] = field(default_factory=dict)
    turns: list[Point] = field(default_factory=list)
    regions: bool = False
    courses: dict[tuple[object, ...], int] = field(default_factory=dict)

    def add(self, failure: Failure) -> None:
        known = self.failures.get(failure.key)
        if known is None or _order(failure.point) < _order(known.point):
            self.failures[failure.key] = failure


def sweep(runs: KernelRuns, sizes: Sizes, corners: dict[str, list[int]], most: int,
          seed: int, out_of_time: Callable[[], bool], jobs: int) -> Sweep:
    """Runs at most ``most`` points dry; it ends soon after the first failure."""
    found = Sweep()
    everything = sizes.count <= most
    before: frozenset[tuple[str, int]] | None = None
    known: set[frozenset[str]] = set()
    points: Iterable[Point] = sizes.all() if everything else chosen(sizes, corners, most, seed)
    previous: Point = {}
    failed = 0
    for point, outcome in run_dry(runs, points, jobs):
        found.points += 1
        if outcome.failure is not None:
            found.add(outcome.failure)
            failed += 1
        if out_of_time() or failed == _MOST_FAILURES:
            found.stopped = True
            break
        if outcome.failure is not None:
            continue
        found.regions = found.regions or outcome.regions > 0
        course = outcome.course
        found.courses[tuple(point.values())] = hash(course)
        if course != before:
            # Another set of functions is another path; other counts are one more turn of a loop.
            path = frozenset(outcome.functions)
            if path not in known or len(found.turns) < 24:
                found.turns += [each for each in (previous, point) if each]
            known.add(path)
        before, previous = course, point
    failure = runs.end_of_batch(at_once=True)
    if failure is not None:
        found.add(failure)
    found.complete = everything and not found.stopped
    return found


def chosen(sizes: Sizes, corners: dict[str, list[int]], most: int, seed: int) -> Iterator[Point]:
    """Points of a space that is too large: along each size all values, or its corners, with the
    other sizes at a few corners; then by chance. Ascending within each part, each once."""
    seen: set[tuple[object, ...]] = set()
    budget = most

    def fresh(points: Iterable[tuple[object, ...]]) -> Iterator[Point]:
        nonlocal budget
        for values in sorted(points, key=volume_of):
            if budget <= 0:
                return
            if values in seen:
                continue
            seen.add(values)
            point = sizes.point(values)
            if sizes.holds(point):
                budget -= 1
                yield point

    generator = random.Random(seed)
    few = {name: _few(sizes, corners, name) for name in sizes.names}
    share = max(64, most // (2 * len(sizes.names)))
    for k, name in enumerate(sizes.names):
        others = _products([few[other] for other in sizes.names if other != name])
        generator.shuffle(others)
        values = sizes.values[name]
        line = list(values) if len(values) <= share else (
            corners.get(name, []) + generator.sample(list(values), min(len(values), share // 4)))
        whole = [(*each[:k], value, *each[k:]) for each in others[:max(1, share // len(line))]
                 for value in line]
        yield from fresh(whole)
    while budget > 0:
        batch = [tuple(generator.choice(values) for values in sizes.values.values())
                 for _ in range(min(budget, 1024))]
        left = budget
        yield from fresh(batch)
        if left == budget:
            return


def _few(sizes: Sizes, corners: dict[str, list[int]], name: str) -> list[object]:
    values = sizes.values[name]
    if not sizes.numbers(name):
        return list(values)
    picked = [values[0], *corners[name][:8], values[-1]]
    return list(dict.fromkeys(picked))


def _products(lists: list[list[object]]) -> list[tuple[object, ...]]:
    made: list[tuple[object, ...]] = [()]
    for each in lists:
        made = [(*front, value) for front in made for value in each]
        if len(made) > 4096:
            made = made[::len(made) // 2048]
    return made


def _order(point: Point) -> tuple[int, tuple[str, ...]]:
    return volume_of(point.values())
