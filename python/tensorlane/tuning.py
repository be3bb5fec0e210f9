"""The search for the fastest parameters of a kernel, by the timing model."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Iterable, Mapping, Sequence

from .errors import UserError
from .pictures import pareto_svg
from .samplers import first_points, fixed_points, sampler_for, search_tpe
from .shards import merged, shard_of, write_results
from .sizes import size_text
from .space import Constraint, Point, Space, Value
from .store import Store
from .texts import padded, tr
from .trials import Problem, Trial
from .workers import Runner


class Tuning:
    """What a search found. ``str()`` is a table; notebooks show the picture.

    ``trials`` are all, in the order in which they were chosen; ``checks`` says of the fastest ones,
    by their numbers, what an exact run found wrong (an empty text: nothing); ``ran`` counts the
    trials that no store knew.
    """

    def __init__(self, problem: Problem, trials: list[Trial], checks: dict[int, str], ran: int):
        self.trials, self.checks, self.ran = trials, checks, ran
        self._problem = problem

    @property
    def ranking(self) -> list[Trial]:
        """The trials that ran, the fastest first; of equally fast ones that with less memory."""
        return sorted((trial for trial in self.trials if trial.feasible), key=_rank)

    @property
    def best(self) -> Trial | None:
        """The fastest trial that passed its check and gate; where none was checked, the fastest. None where
        there is none."""
        for trial in self.ranking:
            if not self.checks or self.checks.get(trial.number) == "":
                return trial
        return None

    @property
    def pareto(self) -> list[Trial]:
        """Trials that none beats in both time and local memory, the fastest first; without those
        that failed their check."""
        front: list[Trial] = []
        for trial in self.ranking:
            if self.checks.get(trial.number):
                continue
            if not front or _bytes(trial) < _bytes(front[-1]):
                front.append(trial)
        return front

    def table(self, most: int | None = None) -> str:
        """The trials as lines of text, the fastest first: modelled time, local memory, parameters,
        whether it is of the Pareto front and what the check said; at the end those that failed."""
        front = {trial.number for trial in self.pareto}
        lines = [tr("       us  local bytes  pareto  check   parameters")]
        for trial in self.ranking[:most]:
            check = self.checks.get(trial.number)
            said = "" if check is None else tr("failed") if check else tr("ok")
            lines.append(f"{trial.us:9.2f}  {trial.local_bytes:11}  "
                         f"{'*' if trial.number in front else '':6}  {padded(said, 6)}  {_text(trial)}"
                         f"{'  ' + check if check else ''}")
        failed = [trial for trial in self.trials if not trial.feasible]
        lines += [f"        -            -                  {_text(trial)}  {trial.reason}"
                  for trial in failed[:most]]
        left = max(0, len(self.ranking) - len(self.ranking[:most])) + len(failed) - len(
            failed[:most])
        return "\n".join(lines + ([tr("and {} more", left)] if left else []))

    def svg(self) -> str:
        """Time over local memory as SVG: a dot per trial, a line through the Pareto front."""
        front = {trial.number for trial in self.pareto}
        return pareto_svg([(_bytes(trial), trial.us or 0.0,
                            tr("{}: {:.2f} us, {} bytes", _text(trial), trial.us,
                               trial.local_bytes),
                            trial.number in front) for trial in self.ranking])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the trials as JSONL, in the order of the space: what ``merge`` of tune() reads."""
        write_results(path, self._problem, self.trials)

    def _repr_svg_(self) -> str:
        return self.svg()

    def __str__(self) -> str:
        return self.table(20)

    def __repr__(self) -> str:
        return f"<Tuning of {len(self.trials)} trials, best {self.best}>"


def tune(sources: str | os.PathLike[str] | Sequence[str | os.PathLike[str]], chip: str,
         kernel: str, args: Mapping[str, Any], *,
         macros: Mapping[str, Sequence[Value]] | None = None,
         fields: Mapping[str, Sequence[Value]] | None = None,
         constraints: Constraint | Iterable[Constraint] = (),
         start: Point | Iterable[Point] = (),
         reference: Any = None, tolerance: str | None = None, sampler: str | None = None,
         trials: int = 200, seed: int = 0, check: int = 1,
         store: str | os.PathLike[str] | None = None, shard: str | None = None,
         merge: Iterable[str | os.PathLike[str]] | None = None, dask: Any = None,
         flags: Sequence[str] = (), defines: Mapping[str, Any] | None = None,
         timeout: float | None = None,
         gate: Callable[[Point], Any] | None = None) -> Tuning:
    """Finds the values of macros and argument fields with which a kernel is fastest.

        tensorlane.tune("matmul.c", "bm1684x", "matmul",
                        {"left": a, "right": b, "output": tensorlane.Output((512, 512))},
                        macros={"TILE_ROWS": [64, 128], "TILE_COLS": range(32, 513, 32)},
                        reference=lambda args: args["left"] @ args["right"])

    Each trial is a dry run without checks: what counts is the modelled time. Then the ``check``
    fastest ones run exactly, with all checks, and are compared with the reference. A choice that
    does not compile, or whose launch fails, is a trial with a reason.

    sources     the kernel's files; ``flags`` and ``defines`` as Device.compile takes them
    args        values of the kernel's own struct: arrays are inputs, Output(shape, dtype) stands
                for what it writes
    macros, fields  the parameters, with lists or ranges of their values
    constraints functions of a point (a mapping from parameters to values): False, a text that says
                why not, or a Plan that does not fit exclude it
    start       a known choice, or several, as mappings from all parameters to their values: they are
                tried first, and what is found is never slower
    reference   the right outputs by name, one array, or a function of ``args``; ``tolerance`` as
                compare() takes it
    sampler     "grid": all points; "random": ``trials`` of them; "tpe": ``trials`` that Optuna and
                then a local search choose. By default the grid where ``trials`` cover it, else "tpe" where Optuna is
                installed, else "random"; ``seed`` decides what chance decides
    store       an SQLite file that keeps each trial: a search goes on where it was stopped, and
                what was tried once is not tried again until kernel, headers or arguments change
    shard       "I/N": only this part of a grid or random search; ``save`` of what it returns
    merge       files of all shards: nothing is tried, their results are put together; a lost one is
                an error
    dask        a distributed.Client or the address of a scheduler: its workers try the points. What
                a lost worker had is tried again
    timeout     seconds that a launch may take
    gate        a function of a point that says whether the kernel is right with it at all sizes,
                verify() for one with the point's macros as ``defines``: choices that pass their
                check are asked of it from the fastest on, until one is right. What is wrong
                is never the best
    """
    if trials < 1 or check < 0:
        raise UserError(tr("trials = {}, check = {}; at least 1 and 0", trials, check))
    files = [sources] if isinstance(sources, (str, os.PathLike)) else list(sources)
    asked = [constraints] if callable(constraints) else list(constraints)
    space = Space(macros or {}, fields or {}, asked)
    problem = Problem([Path(file) for file in files], chip, kernel, args, space,
                      reference=reference, tolerance=tolerance, flags=flags, defines=defines,
                      timeout=timeout)
    sampler = sampler_for(space, sampler, trials)
    first = first_points(space, [start] if isinstance(start, Mapping) else start,
                         space.size if sampler == "grid" else trials)
    if sampler == "tpe" and (shard is not None or merge is not None):
        raise UserError(tr("sampler = 'tpe' chooses by what it has seen and has no shards; "
                           "'random' and 'grid' have"))
    checks = check if shard is None else 0
    if checks:
        problem.wanted  # what is wrong with it should be known before the search
    kept = Store(store)
    try:
        runner = Runner(problem, kept, dask)
        try:
            if sampler == "tpe":
                found = search_tpe(space, trials, seed, runner.measure, first)
            else:
                numbers = fixed_points(space, sampler, trials, seed, first)
                found = (merged(merge, problem, numbers) if merge is not None else
                         runner.measure(shard_of(numbers, shard)))
        finally:
            runner.close()
        result = Tuning(problem, found, {}, runner.ran)
        for trial in result.ranking if gate is not None and checks else result.ranking[:checks]:
            said = _checked(problem, kept, trial)
            if gate is not None and not said:
                said = _gated(gate(trial.point))
            result.checks[trial.number] = said
            if gate is not None and not said and len(result.checks) >= checks:
                break
    finally:
        kept.close()
    return result


def _checked(problem: Problem, store: Store, trial: Trial) -> str:
    key = problem.check_key(trial.number)
    known = store.get(key)
    if known is None:
        known = {"check": problem.check(trial.number)}
        store.put(key, known)
    return known["check"]


def _gated(answer: Any) -> str:
    """What a gate has against a choice; empty for nothing."""
    if isinstance(answer, str):
        return answer
    if answer:
        return ""
    failures = getattr(answer, "failures", None)
    if not failures:
        return tr("the gate says no") if not hasattr(answer, "verdict") else tr(answer.verdict)
    return tr("wrong at {}: {}", size_text(failures[0].point), failures[0].message)


def _rank(trial: Trial) -> tuple[float, int, int]:
    return trial.us or 0.0, _bytes(trial), trial.number


def _bytes(trial: Trial) -> int:
    return trial.local_bytes or 0


def _text(trial: Trial) -> str:
    return " ".join(f"{name}={value}" for name, value in trial.point.items())
