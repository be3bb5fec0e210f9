"""Dry runs in processes of their own, several at a time; whatever a kernel does there, the script
goes on.

A worker has one device after the other in its own process: a run costs a third of what it does over
messages. Where one dies, its points run again one by one on an isolated device, which knows why.
"""

from __future__ import annotations

import os
import pickle
import struct
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any, Iterable, Iterator

from .kernel_runs import KernelRuns, Outcome
from .operands import Input, Operands
from .sizes import Point

_BATCH = 64


def run_dry(runs: KernelRuns, points: Iterable[Point], jobs: int) -> Iterator[tuple[Point, Outcome]]:
    """The outcome of each point, in their order."""
    batches = _batches(points)
    first = list(islice(batches, 3))
    setup = _setup_of(runs)
    if sum(map(len, first)) < 3 * _BATCH or setup is None:  # not worth a process, or none can be
        for batch in _chained(first, batches):
            for point in batch:
                yield point, _alone(runs, point)
        return
    pool = _Workers(runs, setup)
    executor = ThreadPoolExecutor(jobs)
    try:
        # As many at a time as keep the workers busy: who stops early has not run the rest.
        waiting = []
        for batch in _chained(first, batches):
            waiting.append((batch, executor.submit(pool.run, batch)))
            if len(waiting) > 2 * jobs:
                yield from zip(waiting[0][0], waiting.pop(0)[1].result())
        for batch, done in waiting:
            yield from zip(batch, done.result())
    finally:
        executor.shutdown(cancel_futures=True)
        pool.close()


def _batches(points: Iterable[Point]) -> Iterator[list[Point]]:
    source = iter(points)
    while batch := list(islice(source, _BATCH)):
        yield batch


def _chained(first: Iterable[list[Point]], rest: Iterable[list[Point]]) -> Iterator[list[Point]]:
    yield from first
    yield from rest


def _alone(runs: KernelRuns, point: Point) -> Outcome:
    outcome = runs.dry(point)
    if outcome.failure is None:
        outcome.failure = runs.end_of_batch()
    return outcome


class _Workers:
    """A worker for each thread that asks."""

    def __init__(self, runs: KernelRuns, setup: bytes):
        self._runs, self._setup = runs, setup
        self._own = threading.local()
        self._all: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()  # of the isolated device, for what killed a worker

    def run(self, batch: list[Point]) -> list[Outcome]:
        found = self._asked(batch)
        if found is None:  # one of them took the worker down
            with self._lock:
                found = [_alone(self._runs, point) for point in batch]
                failure = self._runs.end_of_batch(at_once=True)
            if failure is not None:
                for point, outcome in zip(batch, found):
                    if point == failure.point:
                        outcome.failure = outcome.failure or failure
        else:
            self._runs.dry_runs += len(batch)
        return found

    def _asked(self, batch: list[Point]) -> list[Outcome] | None:
        process = getattr(self._own, "process", None)
        if process is None or process.poll() is not None:
            process = self._own.process = _started(self._setup)
            self._all.append(process)
        try:
            _send(process.stdin, pickle.dumps(batch))
            answer = _receive(process.stdout)
        except (BrokenPipeError, ValueError):
            return None
        if answer is None:
            return None
        found = pickle.loads(answer)
        if isinstance(found, BaseException):
            raise found
        return found

    def close(self) -> None:
        for process in self._all:
            process.kill()
            process.communicate()


def _setup_of(runs: KernelRuns) -> bytes | None:
    """What a worker is told; None where shapes or numbers are functions, which stay here."""
    try:
        return pickle.dumps({**runs.parts, "operands": _shapes_alone(runs.operands)})
    except (AttributeError, TypeError, pickle.PicklingError):
        return None


def _shapes_alone(operands: Operands) -> Operands:
    """The same without what fills inputs, which may be functions of the script."""
    return Operands({name: replace(value, values="") if isinstance(value, Input) else value
                     for name, value in operands.args.items()}, operands.names, 0)


def _started(setup: bytes) -> subprocess.Popen[bytes]:
    folder = str(Path(__file__).parent.parent)
    path = os.pathsep.join(filter(None, [folder, os.environ.get("PYTHONPATH")]))
    process = subprocess.Popen([sys.executable, "-c", "from tensorlane import dry_worker\n"
                                "dry_worker.main()"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                               env={**os.environ, "PYTHONPATH": path})
    _send(process.stdin, setup)
    return process


def _send(to: Any, message: bytes) -> None:
    to.write(struct.pack("<Q", len(message)) + message)
    to.flush()


def _receive(source: Any) -> bytes | None:
    head = source.read(8)
    if len(head) < 8:
        return None
    size = struct.unpack("<Q", head)[0]
    message = source.read(size)
    return message if len(message) == size else None


def _batch_of(runs: KernelRuns, batch: list[Point]) -> list[Outcome]:
    found = [runs.dry(point) for point in batch]
    late = runs.end_of_batch(at_once=True)
    if late is not None:
        for point, outcome in zip(batch, found):
            if point == late.point:
                outcome.failure = outcome.failure or late
    return found


def main() -> None:
    """The worker: answers batches until nobody asks."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a kernel prints is no answer
    source = sys.stdin.buffer
    setup = _receive(source)
    if setup is None:
        return
    runs = KernelRuns.of_parts(pickle.loads(setup))
    while (message := _receive(source)) is not None:
        answer: Any
        try:
            answer = _batch_of(runs, pickle.loads(message))
        except Exception as error:
            answer = error
        try:
            _send(answers, pickle.dumps(answer))
        except BrokenPipeError:  # who asked is gone
            os._exit(0)


