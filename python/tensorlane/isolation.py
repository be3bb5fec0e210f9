"""Launches in a process of their own: whatever a kernel does there, the script goes on.

What the classes here have is what those of the native module have, of the same meaning. Global
memory is a file that both processes map, so that arrays are not copied on the way.
"""

from __future__ import annotations

import json
import mmap
import os
import pickle
import signal
import socket
import threading
from collections import deque
from typing import Any, Sequence

import numpy as np

from . import _native, errors
from .errors import FindingError, InternalError, UserError
from .findings import finding_of_failure, findings_of
from .isolated_parts import IsolatedMemory, IsolatedModule, IsolatedRecord
from .nursery import nursery
from .texts import tr

# How long the other process may be busy with one request, in milliseconds: so soon are signals of
# Python heard, and requests of other threads.
_TURN_MS, _SHORT_TURN_MS = 50, 2
_FAILURE_AT, _NEWS_AT = 0, 1 << 20


class _Lost(Exception):
    """The other process is gone."""


class IsolatedDevice:
    """A device in a process of its own."""

    def __init__(self, chip: str, **options: Any):
        self.number = _native.next_device_number()
        self.lost = ""
        self._final_statistics = ""
        self._process = os.getpid()
        self._closed = False
        self._lock = threading.Lock()
        self._waiting = 0  # threads that have a request
        self._freed: deque[tuple[int, Any]] = deque()
        self._forgotten: deque[int] = deque()
        self._fresh_news: str | None = None
        self._busy = False  # a launch may be in progress
        self._launches = 0
        self._obituary = os.memfd_create("obituary")
        here, there = socket.socketpair()
        with there:
            self._child = nursery().new_process(there.fileno(), self._obituary)
        self._socket = here
        try:
            self._begin = self._ask("open", os.getcwd(), dict(os.environ), chip,
                                    {"number": self.number, **options})
            _, (file,), _, _ = socket.recv_fds(here, 1, 1)
        except BaseException:
            self.end()
            raise
        self._map = mmap.mmap(file, 0, flags=mmap.MAP_SHARED | getattr(mmap, "MAP_NORESERVE", 0))
        self._bytes = np.frombuffer(self._map, np.uint8)
        os.close(file)

    # ---- what the native device has -------------------------------------------------------------

    @property
    def closed(self) -> bool:
        return self._closed or bool(self.lost)

    @property
    def allocated(self) -> int:
        return self._ask("allocated")

    def load(self, path: str) -> IsolatedModule:
        return IsolatedModule(self, *self._ask("load", path))

    def memory(self, nbytes: int) -> IsolatedMemory:
        return IsolatedMemory(self, self._ask("ask", "allocate", nbytes), nbytes)

    def run(self, module: IsolatedModule, kernel: str, args: bytes,
            cores: int = 1) -> tuple[IsolatedRecord, str, str | None]:
        record = IsolatedRecord(self, kernel)
        try:
            record.number, outcome = self._request("run", module.number, kernel, args, cores,
                                                    _TURN_MS)
            return record, *self._outcome(record, outcome)
        except _Lost:
            record.number = max(record.number, self._launches - 1)
            return record, *self._last_words_of(record)

    def submit(self, module: IsolatedModule, kernel: str, args: bytes,
               cores: int = 1) -> IsolatedRecord:
        record = IsolatedRecord(self, kernel)
        record.number = self._ask("submit", module.number, kernel, args, cores)
        return record

    def wait(self, record: IsolatedRecord) -> tuple[str, str | None]:
        try:
            return self._outcome(record, self._request("outcome", record.number, _TURN_MS))
        except _Lost:
            return self._last_words_of(record)

    def done(self, record: IsolatedRecord) -> bool:
        return self.closed or self._ask("done", record.number)

    def drain(self) -> None:
        self._settle()

    def close(self) -> None:
        if self.closed or self._process != os.getpid():
            return
        self._settle()
        self._final_statistics = self._ask("ask", "statistics")
        try:
            self._ask("ask", "close")
        finally:
            self._fresh_news = "" if self.lost else self._ask("ask", "news")
            self._closed = True

    def news(self) -> str:
        fresh, self._fresh_news = self._fresh_news, None
        if fresh is not None:
            return fresh
        return "" if self.closed else self._ask("ask", "news")

    def statistics(self) -> str:
        if self._closed:
            return self._final_statistics
        self._settle()
        return self._ask("ask", "statistics")

    def why(self, *args: int) -> str:
        self._settle()
        return self._ask("ask", "why", *args)

    # ---- what its memory and records need -------------------------------------------------------

    def view(self, keeper: IsolatedMemory, offsets: np.ndarray, run_bytes: int) -> Any:
        self._settle()
        self._fresh_news = self._ask("access", True, keeper.address, offsets.tobytes(), run_bytes)
        return _native.HeldBytes(self._map, keeper.address - self._begin, keeper.nbytes, keeper)

    def write(self, address: int, nbytes: int, data: np.ndarray) -> None:
        source = np.ascontiguousarray(data).reshape(-1).view(np.uint8)
        if source.size != nbytes:
            raise UserError(tr("{} bytes for a tensor of {}", source.size, nbytes))
        self._settle()
        self._fresh_news = self._ask("access", False, address, bytes(8), nbytes)
        self._bytes[address - self._begin:address - self._begin + nbytes] = source

    def touch(self, reads: bool, address: int, nbytes: int) -> None:
        self._settle()
        self._fresh_news = self._ask("access", reads, address, bytes(8), nbytes)

    def replace_by_real(self, address: int, dtype: str, values: np.ndarray) -> None:
        self._settle()
        values[:] = self._ask("real", address, dtype, values)

    def said(self, what: str, number: int) -> str:
        return self._ask("said", what, number)

    def said_of_all(self, what: str, numbers: Sequence[int], *args: Any) -> Any:
        return self._ask("said_of_all", what, list(numbers), *args)

    def end(self) -> None:
        """Ends the other process. Views of memory stay."""
        self._closed = True
        if self._process == os.getpid() and self._socket.fileno() >= 0:
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        if self._obituary >= 0:
            os.close(self._obituary)
            self._obituary = -1

    def __del__(self) -> None:
        if hasattr(self, "_socket"):
            self.end()

    # ---- requests ---------------------------------------------------------------------------------

    def _request(self, name: str, *args: Any) -> Any:
        """What the other process answers; _Lost where it does not."""
        if self._process != os.getpid():
            raise UserError(tr("device {} was opened by the process that forked this one; open one "
                               "here", self.number))
        if self.lost:
            raise UserError(tr("device {} is lost: {}; open another one", self.number, self.lost))
        if self._socket.fileno() < 0:
            raise UserError(tr("device {} is closed", self.number))
        place = _native.caller()
        self._waiting += 1
        with self._lock:
            self._waiting -= 1
            # The other process would wait for a launch that may use it, and hear nothing.
            freed = [] if self._busy else _taken(self._freed)
            forgotten = _taken(self._forgotten)
            if name in ("run", "submit"):
                self._busy = True
                self._launches += 1
            message = pickle.dumps((name, args, freed, forgotten, place))
            answer = _native.exchange(self._socket.fileno(), message)
        if answer is None:
            raise _Lost
        error, value = pickle.loads(answer)
        if error:
            raise getattr(errors, error, InternalError)(value)
        return value

    def _ask(self, name: str, *args: Any) -> Any:
        """The same outside of launches, of which nobody expects that they end the other process."""
        try:
            return self._request(name, *args)
        except _Lost:
            raise self._lost_error() from None

    def _outcome(self, record: IsolatedRecord, outcome: Any) -> tuple[str, str | None]:
        """Waits for what becomes of a launch. Where a signal's handler raises, Ctrl-C for one, the
        launch is ended first."""
        try:
            while outcome is None:
                outcome = self._turn("outcome", record.number)
        except _Lost:
            raise
        except BaseException:
            while outcome is None:
                self._request("ask", "stop")
                outcome = self._request("outcome", record.number, _TURN_MS)
            record.us, record.us_at_most = outcome[:2]
            raise
        record.us, record.us_at_most, record.failed, news = outcome
        if record.number == self._launches - 1:
            self._busy = False
        return news, record.failed

    def _settle(self) -> None:
        """Waits for all launches: the other process hears nothing while it waits itself."""
        while self._busy and not self.closed:
            try:
                self._busy = not self._turn("rest")
            except _Lost:
                raise self._lost_error() from None

    def _turn(self, name: str, *args: Any) -> Any:
        """A request that may take a while; others come in between."""
        if self._waiting:
            threading.Event().wait(0.001)
        return self._request(name, *args, _SHORT_TURN_MS if self._waiting else _TURN_MS)

    def _lost_error(self) -> FindingError:
        news, failure = self._last_words("")
        return FindingError(findings_of(news) or [finding_of_failure(failure)])

    def _last_words_of(self, record: IsolatedRecord) -> tuple[str, str]:
        news, record.failed = self._last_words(record.kernel)
        return news, record.failed

    def _last_words(self, kernel: str) -> tuple[str, str]:
        """What the other process left behind: findings and a failure, as run() gives them."""
        status = nursery().status_of(self._child)
        if os.WIFSIGNALED(status):
            number = os.WTERMSIG(status)
            self.lost = tr("its process was ended by signal {} ({})", number,
                           signal.strsignal(number))
        else:
            self.lost = tr("its process ended with status {}", os.waitstatus_to_exitcode(status))
        news, failure = (self._left_at(place) for place in (_NEWS_AT, _FAILURE_AT))
        failure = failure or json.dumps({
            "id": "TL-LAUNCH-002" if os.WIFSIGNALED(status) else "TL-LAUNCH-003",
            "kind": "crash", "message": self.lost, "kernel": kernel, "frames": []})
        return "" if news == "[]" else news, failure

    def _left_at(self, place: int) -> str:
        length = int.from_bytes(os.pread(self._obituary, 8, place), "little")
        return os.pread(self._obituary, length, place + 8).decode()


def _taken(queue: deque[Any]) -> list[Any]:
    return [queue.popleft() for _ in range(len(queue))]
