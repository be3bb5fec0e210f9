"""Trials and other runs one after the other, or spread over the workers of dask.distributed."""

from __future__ import annotations

import functools
import pickle
import warnings
from typing import Any, Callable, Iterable, Iterator, Sequence

from .errors import InternalError, UserError
from .store import Store
from .texts import tr
from .trials import Problem, Trial, as_row, from_row


class Runner:
    """Measures points of a problem: from the store what was done before, the rest here or on the
    workers of ``dask``, a distributed.Client or the address of a scheduler."""

    def __init__(self, problem: Problem, store: Store, dask: Any = None):
        self._problem, self._store = problem, store
        self._client, self._own = _client(dask)
        self.ran = 0

    def measure(self, numbers: Sequence[int]) -> list[Trial]:
        """The trials of points, in the order of ``numbers``."""
        keys = {number: self._problem.key(number) for number in numbers}
        missing = set(self._store.missing(keys.values()))
        todo = [number for number in keys if keys[number] in missing]
        if self._client is None:
            for number in todo:
                self._keep(self._problem.measure(number), keys)
        elif todo:
            self._spread(todo, keys)
        self.ran += len(todo)
        return [from_row({**self._row(keys[number]), "number": number}) for number in numbers]

    def close(self) -> None:
        """Ends a client of its own."""
        if self._own and self._client is not None:
            self._client.close()

    def _spread(self, todo: list[int], keys: dict[int, str]) -> None:
        # Scattered data is lost with the worker that has it, what a task returns is computed again,
        # as are the trials of that worker.
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Large object")  # it is sent once
            problem = self._client.submit(
                _handed_on, pickle.dumps(self._problem.for_workers()), pure=False)
        content = self._problem.content
        futures = {self._client.submit(_measure, problem, content, number, pure=False): number
                   for number in todo}
        for number, trial in _as_completed(self._client, futures):
            if trial.number != number:
                raise InternalError(f"point {number} came back as {trial.number}")
            self._keep(trial, keys)

    def _keep(self, trial: Trial, keys: dict[int, str]) -> None:
        self._store.put(keys[trial.number], as_row(trial, keys[trial.number]))

    def _row(self, key: str) -> dict[str, Any]:
        row = self._store.get(key)
        if row is None:
            raise InternalError(f"the result of trial {key} is lost")
        return row


def spread(function: Callable[[Any], Any], items: Iterable[Any], dask: Any = None) -> list[Any]:
    """``function`` of each item, in their order: here, or on the workers of ``dask`` as tune()
    takes it. What a lost worker had is done again by another one."""
    todo = list(items)
    client, own = _client(dask)
    if client is None:
        return [function(item) for item in todo]
    try:
        futures = {client.submit(function, item, pure=False): at for at, item in enumerate(todo)}
        done = dict(_as_completed(client, futures))
    finally:
        if own:
            client.close()
    lost = [item for at, item in enumerate(todo) if at not in done]
    if lost:
        raise InternalError(f"{len(lost)} of {len(todo)} results are lost; the first is {lost[0]}")
    return [done[at] for at in range(len(todo))]


def _as_completed(client: Any, futures: dict[Any, int]) -> Iterator[tuple[int, Any]]:
    from distributed import as_completed

    for future in as_completed(futures, loop=client.loop):
        yield futures[future], future.result()


def _handed_on(pickled: bytes) -> bytes:
    return pickled


def _measure(pickled: bytes, content: str, number: int) -> Trial:
    problem = _unpickled(pickled)
    if problem.content != content:
        raise UserError(tr("a worker has another kernel, other headers or another version of "
                           "TensorLane than the process that sends it trials"))
    return problem.measure(number)


@functools.lru_cache(maxsize=4)
def _unpickled(pickled: bytes) -> Problem:
    return pickle.loads(pickled)


def _client(dask: Any) -> tuple[Any, bool]:
    if dask is None:
        return None, False
    if not isinstance(dask, str):
        return dask, False
    try:
        from distributed import Client
    except ImportError:
        raise UserError(tr("dask = {} needs distributed (Debian: python3-distributed)", repr(dask))
                        ) from None
    try:
        return Client(dask, set_as_default=False), True
    except (OSError, ValueError) as error:
        raise UserError(tr("dask = {}: {}", repr(dask), error)) from None
