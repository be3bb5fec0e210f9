"""Which points of a space are tried, and in which order."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import math
from typing import Any, Callable, Iterator, Sequence

from .errors import UserError
from .space import Space
from .texts import tr
from .trials import Trial

SAMPLERS = ("grid", "random", "tpe")

# Measures points, by their numbers, and tells the trials in the same order.
Measure = Callable[[Sequence[int]], "list[Trial]"]

_BATCH = 8  # tried at once, with any number of workers: the answers do not depend on it
_OF_TPE = 3  # of a batch
_CANDIDATES = 8  # among which TPE takes its best: each costs it time
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
    workers there are, and again from a store. Half of a batch is TPE's, the rest, and what TPE
    repeats or constraints exclude, are the nearest neighbours of the best point that nobody tried;
    points by chance where there are none.
    """
    try:
        import optuna
    except ImportError:
        raise UserError(tr("sampler = 'tpe' needs Optuna (Debian: python3-optuna); 'random' and "
                           "'grid' need nothing")) from None
    with _quietly(optuna):
        study = optuna.create_study(sampler=optuna.samplers.TPESampler(
            seed=seed, n_ei_candidates=_CANDIDATES))
    choices = {name: optuna.distributions.CategoricalDistribution(range(len(values)))
               if any(isinstance(value, str) for value in values)
               else optuna.distributions.IntDistribution(0, len(values) - 1)
               for name, values in space.values.items()}

    @functools.lru_cache(maxsize=None)
    def allowed(number: int) -> bool:
        return space.excluded(space.point(number)) is None

    known: dict[int, Trial] = {}
    by_chance = filter(allowed, space.shuffled(seed))
    while len(known) < trials:
        batch: dict[int, Any] = {}  # what Optuna calls a trial, by point
        for _ in range(_OF_TPE):
            each = study.ask(choices)
            number = _number(space, each.params)
            if number in known or number in batch or not allowed(number):
                with _quietly(optuna):
                    study.tell(each, _loss(known.get(number)))
            else:
                batch[number] = each
        for number in itertools.chain(_neighbours(space, known, allowed), by_chance):
            if len(batch) >= _BATCH:
                break
            if number not in known and number not in batch:
                with _quietly(optuna):
                    study.enqueue_trial(_places(space, number))
                batch[number] = study.ask(choices)
        if not batch:  # every point was tried
            break
        for trial in measure(list(batch)[:trials - len(known)]):
            known[trial.number] = trial
            with _quietly(optuna):
                study.tell(batch[trial.number], _loss(trial))
    return list(known.values())


def _loss(trial: Trial | None) -> float:
    return math.inf if trial is None or trial.us is None else trial.us


def _neighbours(space: Space, known: dict[int, Trial],
                allowed: Callable[[int], bool]) -> Iterator[int]:
    """Points beside the best one that may be tried, the nearest first."""
    ran = [trial for trial in known.values() if trial.us is not None]
    if not ran:
        return
    middle = _places(space, min(ran, key=lambda trial: (trial.us, trial.number)).number)
    for distance in range(1, _FARTHEST + 1):
        for name, values in space.values.items():
            for step in (-distance, distance):
                places = {**middle, name: middle[name] + step}
                if 0 <= places[name] < len(values):
                    number = _number(space, places)
                    if number not in known and allowed(number):
                        yield number


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
