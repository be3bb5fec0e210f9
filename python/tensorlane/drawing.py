"""Points of a space that Hypothesis draws. Imported only where it is installed."""

from __future__ import annotations

from typing import Callable

from hypothesis import HealthCheck, Phase, assume, given, seed, settings
from hypothesis import strategies as st

from .sizes import Point, Sizes


class _Found(Exception):
    pass


def draw(sizes: Sizes, corners: dict[str, list[int]], most: int, by: int,
         wanted: Callable[[Point], bool], stop: Callable[[Point], bool]) -> bool:
    """Calls ``stop`` for up to ``most`` points that are wanted, until it says so. Whether it never
    did. What fails is made smaller by shrinking.py, which knows more."""
    each = {}
    for name, values in sizes.values.items():
        if not sizes.numbers(name):
            each[name] = st.sampled_from(list(values))
            continue
        anywhere = (st.integers(0, len(values) - 1).map(values.__getitem__))
        each[name] = st.one_of(anywhere, st.sampled_from(corners[name])) if corners.get(name) else (
            anywhere)

    @seed(by)
    @settings(max_examples=most, database=None, deadline=None, phases=[Phase.generate],
              suppress_health_check=list(HealthCheck))
    @given(st.fixed_dictionaries(each))
    def one(point: Point) -> None:
        assume(sizes.holds(point) and wanted(point))
        if stop(point):
            raise _Found

    try:
        one()
    except _Found:
        return False
    return True
