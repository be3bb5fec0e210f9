"""Which points of a space are tried, and in which order."""

from __future__ import annotations

import contextlib
import importlib.util
import math
from typing import Any, Callable, Iterator, Sequence

from .errors import UserError
from .space import Space
from .texts import tr
from .trials import Trial

SAMPLERS = ("grid", "random", "tpe")

# Measures points, by their numbers, and tells the trials in the same order.
Measure = Callable[[Sequence[int]], "list[Trial]"]

_BATCH = 8  # asked at once, with any number of workers: the answers do not depend on it
_ASKED_PER_TRIAL = 10
_FARTHEST = 4  # values that a neighbour is away


def sampler_for(space: Space, sampler: str | None, trials: int) -> str:
    """``sampler``; or where it is None the grid for a space that ``trials`` cover, else Optuna's
    TPE where that is installed, else random points."""
    if sampler is None:
        if space.size <= trials:
            return "grid"
        return "tpe" if importlib.util.find_spec("optuna") else "random"
    if sampler not in SAMPLERS:
        raise UserError(tr("sampler = {}; there are {}", repr(sampler), ', '.join(SAMPLERS)))
    return sampler


def fixed_points(space: Space, sampler: str, trials: int, seed: int) -> list[int]:
    """The numbers of all points that a grid or random search tries, in their order."""
    return list(space.numbers(trials if sampler == "random" else None, seed))


def search_tpe(space: Space, trials: int, seed: int, measure: Measure) -> list[Trial]:
    """Lets Optuna's TPE choose ``trials`` points, by what those before came to.

    Points come in batches of one size, so that the same seed finds the same trials however many
    workers there are, and again from a store. Where TPE repeats itself or asks for what constraints
    exclude, neighbours of the best point are tried instead.
    """
    try:
        import optuna
    except ImportError:
        raise UserError(tr("sampler = 'tpe' needs Optuna (Debian: python3-optuna); 'random' and "
                           "'grid' need nothing")) from None
    with _quietly(optuna):
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    choices = {name: optuna.distributions.CategoricalDistribution(range(len(values)))
               if any(isinstance(value, str) for value in values)
               else optuna.distributions.IntDistribution(0, len(values) - 1)
               for name, values in space.values.items()}
    known: dict[int, Trial] = {}
    excluded: set[int] = set()
    asked = 0
    while len(known) < trials and asked < _ASKED_PER_TRIAL * trials:
        batch = [study.ask(choices) for _ in range(_BATCH)]
        asked += _BATCH
        numbers = [_number(space, each.params) for each in batch]
        fresh: list[int] = []
        for number in numbers:
            if number in known or number in excluded or number in fresh:
                continue
            if space.excluded(space.point(number)) is not None:
                excluded.add(number)
            elif len(known) + len(fresh) < trials:
                fresh.append(number)
        known.update((trial.number, trial) for trial in measure(fresh))
        for each, number in zip(batch, numbers):
            us = known[number].us if number in known else None
            with _quietly(optuna):
                study.tell(each, math.inf if us is None else us)
        for neighbour in _neighbours(space, known)[:_BATCH - len(fresh)]:
            with _quietly(optuna):
                study.enqueue_trial(neighbour)
    return list(known.values())


def _neighbours(space: Space, known: dict[int, Trial]) -> list[dict[str, int]]:
    """Places of points beside the best one that may be tried and were not, the nearest first."""
    ran = [trial for trial in known.values() if trial.us is not None]
    if not ran:
        return []
    best = min(ran, key=lambda trial: (trial.us, trial.number)).number
    middle = _places(space, best)
    found = []
    for distance in range(1, _FARTHEST + 1):
        for name, values in space.values.items():
            for step in (-distance, distance):
                places = {**middle, name: middle[name] + step}
                if 0 <= places[name] < len(values):
                    number = _number(space, places)
                    if number not in known and space.excluded(space.point(number)) is None:
                        found.append(places)
    return found


def _places(space: Space, number: int) -> dict[str, int]:
    """Which of its values each parameter has in a point."""
    places = {}
    for name, values in reversed(space.values.items()):
        number, places[name] = divmod(number, len(values))
    return places


def _number(space: Space, places: dict[str, Any]) -> int:
    number = 0
    for name, values in space.values.items():
        number = number * len(values) + places[name]
    return number


@contextlib.contextmanager
def _quietly(optuna: Any) -> Iterator[None]:
    """Optuna logs to stderr; what it was told to say holds again afterwards."""
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    try:
        yield
    finally:
        optuna.logging.set_verbosity(before)
