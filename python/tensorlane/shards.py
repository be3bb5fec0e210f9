"""A search cut into shards for machines that know nothing of each other, and put together again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Iterable, Sequence

from .errors import UserError
from .texts import tr
from .trials import Problem, Trial, as_row, from_row


def shard_of(numbers: Sequence[int], shard: str | None) -> list[int]:
    """The points of shard "I/N", I from 1 to N: every N-th, so that shards take about as long."""
    if shard is None:
        return list(numbers)
    first, _, count = shard.partition("/")
    if not (first.isdigit() and count.isdigit() and 1 <= int(first) <= int(count)):
        raise UserError(tr("shard = {}; it is I/N with I from 1 to N, as 2/8", repr(shard)))
    return list(numbers[int(first) - 1::int(count)])


def write_results(path: str | os.PathLike[str], problem: Problem, trials: Iterable[Trial]) -> None:
    """A line of JSON per trial, in the order of the space; the file is whole or not there."""
    rows = [as_row(trial, problem.key(trial.number)) for trial in trials]
    rows.sort(key=lambda row: row["number"])
    path = Path(path)
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    os.replace(unfinished, path)


def merged(paths: Iterable[str | os.PathLike[str]], problem: Problem,
           numbers: Sequence[int]) -> list[Trial]:
    """The trials of all shards, which must be those of ``numbers``.

    Raises UserError where one is lost, belongs to another kernel, arguments or space, or where two
    files say different things about one.
    """
    wanted = {problem.key(number): number for number in numbers}
    found: dict[str, dict[str, Any]] = {}
    files = list(paths)
    for path in files:
        for at, row in _rows(path):
            key = row["key"]
            if wanted.get(key) != row["number"]:
                raise UserError(tr("{}:{}: a trial of another kernel, arguments or space: point "
                                   "{}, {}", path, at, row['number'], row['point']))
            if found.setdefault(key, row) != row:
                raise UserError(tr("{}:{}: another result than that of a file before, of point {}, "
                                   "{}", path, at, row['number'], row['point']))
    lost = [number for key, number in wanted.items() if key not in found]
    if lost:
        raise UserError(tr("{} of {} results are lost; the first is point {}, {}", len(lost),
                           len(wanted), lost[0], problem.space.point(lost[0])))
    return [from_row(found[key]) for key in wanted]


def _rows(path: str | os.PathLike[str]) -> Iterable[tuple[int, dict[str, Any]]]:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    for at, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            from_row(row), row["key"]
        except (ValueError, KeyError, TypeError):
            raise UserError(tr("{}:{}: no result of a trial", path, at)) from None
        yield at, row
