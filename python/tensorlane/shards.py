"""A search cut into shards for machines that know nothing of each other, and put together again."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Iterable, Mapping, Sequence, TypeVar

from .errors import UserError
from .texts import reason, tr
from .trials import Problem, Trial, as_row, from_row


_T = TypeVar("_T")


def shard_of(numbers: Sequence[_T], shard: str | None) -> list[_T]:
    """The points, or other things, of shard "I/N", I from 1 to N: every N-th, so that shards take
    about as long."""
    if shard is None:
        return list(numbers)
    first, _, count = shard.partition("/")
    if not (first.isdigit() and count.isdigit() and 1 <= int(first) <= int(count)):
        raise UserError(tr("shard = {}; it is I/N with I from 1 to N, as 2/8", repr(shard)))
    return list(numbers[int(first) - 1::int(count)])


def write_results(path: str | os.PathLike[str], problem: Problem, trials: Iterable[Trial]) -> None:
    """A line of JSON per trial, in the order of the space; the file is whole or not there."""
    rows = [as_row(trial, problem.key(trial.number)) for trial in trials]
    write_rows(path, sorted(rows, key=lambda row: row["number"]))


def merged(paths: Iterable[str | os.PathLike[str]], problem: Problem,
           numbers: Sequence[int]) -> list[Trial]:
    """The trials of all shards, which must be those of ``numbers``. Raises as merged_rows()."""
    wanted = {problem.key(number): f"point {number}, {problem.space.point(number)}"
              for number in numbers}
    return [from_row(row) for row in merged_rows(paths, wanted)]


def write_rows(path: str | os.PathLike[str], rows: Iterable[Mapping[str, Any]]) -> None:
    """A line of JSON per result, each with its "key"; the file is whole or not there."""
    path = Path(path)
    unfinished = path.with_name(path.name + ".part")
    unfinished.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    os.replace(unfinished, path)


def merged_rows(paths: Iterable[str | os.PathLike[str]],
                wanted: Mapping[str, str]) -> list[dict[str, Any]]:
    """The rows of all files in the order of ``wanted``: what results are of, by their keys.

    Raises UserError where one is lost, is none of those wanted, or where two say different things.
    """
    found: dict[str, dict[str, Any]] = {}
    for path in paths:
        for at, row in _rows(path):
            key = row["key"]
            if key not in wanted:
                raise UserError(tr("{}:{}: a result of another kernel, other arguments, sizes or "
                                   "versions: {}", path, at, json.dumps(row)[:200]))
            if found.setdefault(key, row) != row:
                raise UserError(tr("{}:{}: another result than one before, of {}", path, at,
                                   wanted[key]))
    lost = [what for key, what in wanted.items() if key not in found]
    if lost:
        raise UserError(tr("{} of {} results are lost; the first is {}", len(lost), len(wanted),
                           lost[0]))
    return [found[key] for key in wanted]


def _rows(path: str | os.PathLike[str]) -> Iterable[tuple[int, dict[str, Any]]]:
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise UserError(f"{path}: {reason(error)}") from None
    for at, line in enumerate(lines, 1):
        try:
            row = json.loads(line)
            row["key"]
        except (ValueError, KeyError, TypeError):
            raise UserError(tr("{}:{}: no result", path, at)) from None
        yield at, row
