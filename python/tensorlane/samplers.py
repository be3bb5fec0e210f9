"""Which points of a space are tried, and in which order."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import itertools
import math
from typing import Any, Callable, Iterable, Iterator, Sequence

from .errors import UserError
from .space import Point, Space, Value
from .texts import tr
from .trials import Trial

SAMPLERS = ("grid", "random", "tpe")

# Measures points, by their numbers, and tells the trials in the same order.
Measure = Callable[[Sequence[int]], "list[Trial]"]

_BATCH = 8  # tried at once, with any number of workers: the answers do not depend on it
_OF_TPE = 3  # of a batch
_CANDIDATES = 8  # among which TPE takes its best: each costs it time
_EXPLORED = 0.3  # of all trials; the others are a local search
_BEST = 4  # points around which it goes
_CHOICES = 3  # values that a parameter has at most to be a choice
_FARTHEST = 4  # values that a neighbour is away
_TO_END = 2  # steps to the first and the last value, from wherever


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


def first_points(space: Space, start: Iterable[Point], trials: int) -> list[int]:
    """The numbers of the points that somebody asks for, each once. Raises UserError for what is no
    point of the space or may not be tried."""
    numbers = list(dict.fromkeys(space.number(point) for point in start))
    for number in numbers:
        said = space.excluded(space.point(number))
        if said is not None:
            raise UserError(tr("start = {} is excluded: {}", space.point(number), said))
    if len(numbers) > trials:
        raise UserError(tr("start has {} points, there are {} trials", len(numbers), trials))
    return numbers


def fixed_points(space: Space, sampler: str, trials: int, seed: int,
                 first: Sequence[int]) -> list[int]:
    """The numbers of all points that a grid or random search tries, in their order."""
    asked, most = set(first), None if sampler == "grid" else trials
    others = (number for number in space.numbers(most, seed) if number not in asked)
    return list(itertools.islice(itertools.chain(first, others), most))


def search_tpe(space: Space, trials: int, seed: int, measure: Measure,
               first: Sequence[int]) -> list[Trial]:
    """``first``, then points chosen by what those before came to, ``trials`` in all.

    Points come in batches of one size, so that the same seed finds the same trials however many
    workers there are, and again from a store. In the first part of the search a few of a batch are
    of Optuna's TPE. The rest, and what TPE repeats or constraints exclude, are the nearest
    neighbours of the best points that nobody tried; points by chance where there are none.
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

    known = {trial.number: trial for trial in measure(first)}
    for number, trial in known.items():
        with _quietly(optuna):
            study.enqueue_trial(_places(space, number))
            study.tell(study.ask(choices), _loss(trial))
    by_chance = filter(allowed, space.shuffled(seed))
    while len(known) < trials:
        batch: dict[int, Any] = {}  # what Optuna calls a trial, by point
        explores = len(known) < trials * _EXPLORED
        for _ in range(_OF_TPE if explores else 0):
            each = study.ask(choices)
            number = _number(space, each.params)
            if number in known or number in batch or not allowed(number):
                with _quietly(optuna):
                    study.tell(each, _loss(known.get(number)))
            else:
                batch[number] = each
        for number in itertools.chain(
                _around(space, known, 1 if explores else _BEST, allowed), by_chance):
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


def _around(space: Space, known: dict[int, Trial], most: int,
            allowed: Callable[[int], bool]) -> Iterator[int]:
    """Points beside the best ones, ``most`` of them, that may be tried: they differ in one or two
    parameters. The nearest first; beside the second best as if they were a step farther, ..."""
    rings = [_rings(space, trial.number) for trial in _centres(space, known, most)]
    for distance in range(1, 2 * _FARTHEST + most):
        for rank, ring in enumerate(rings):
            for number in ring.get(distance - rank, []):
                if number not in known and allowed(number):
                    yield number


def _centres(space: Space, known: dict[int, Trial], most: int) -> list[Trial]:
    """The best point, and the best with each other choice: of the parameters that have few values,
    which say what is done rather than how much of it. Then points of other times."""
    choices = [name for name, values in space.values.items() if len(values) <= _CHOICES]
    by_choice: dict[Any, Trial] = {}
    by_time: dict[Any, Trial] = {}
    for trial in sorted((trial for trial in known.values() if trial.us is not None),
                        key=lambda trial: (trial.us, trial.number)):
        by_choice.setdefault(tuple(trial.point[name] for name in choices), trial)
        by_time.setdefault(trial.us, trial)
    centres = {trial.number: trial for trial in [*by_choice.values(), *by_time.values()]}
    return list(centres.values())[:most]


def _rings(space: Space, number: int) -> dict[int, list[int]]:
    """The points beside one, by how many steps they are away."""
    middle = _places(space, number)
    moves = {name: _moves(values, middle[name]) for name, values in space.values.items()}
    found: dict[int, list[int]] = {}
    for name, places in moves.items():
        for place, steps in places.items():
            found.setdefault(steps, []).append(_number(space, {**middle, name: place}))
    for one, other in itertools.combinations(moves, 2):
        for (a, far), (b, farther) in itertools.product(moves[one].items(), moves[other].items()):
            found.setdefault(far + farther, []).append(
                _number(space, {**middle, one: a, other: b}))
    return found


def _moves(values: Sequence[Value], place: int) -> dict[int, int]:
    """Where a parameter can go from one of its values, and how many steps that is: a step is one
    place in the list, or twice or half the number, with which what divides an axis evenly mostly
    stays so. The ends of the list are never far."""
    far = {place + sign * steps: steps for steps in range(_FARTHEST, 0, -1) for sign in (1, -1)
           if 0 <= place + sign * steps < len(values)}
    value = values[place]
    if not isinstance(value, str) and value > 0:
        for steps in range(2, 0, -1):
            for factor in (2.0 ** steps, 0.5 ** steps):
                if value * factor in values:
                    far[values.index(value * factor)] = steps
    for end in {0, len(values) - 1} - {place}:
        far[end] = min(far.get(end, _TO_END), _TO_END)
    return far


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
