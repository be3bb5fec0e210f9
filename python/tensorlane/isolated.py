"""The other side of isolation.py: the process that launches happen in.

A nursery, which has imported all that is needed, forks a process per device. Each is asked by
messages over a socket and answers one after the other; it ends when nobody asks any more.
"""

from __future__ import annotations

import gc
import os
import pickle
import signal
import socket
import sys
import traceback
from typing import Any

from . import _native
from .errors import Error

_MOST_WORDS = 4096


def nursery(handle: int) -> None:
    """Forks a process for each request of the socket ``handle``, and tells how they ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the script's, which ends the launch
    gc.freeze()
    requests = socket.socket(fileno=handle)
    ended: dict[int, int] = {}
    while True:
        words, handles, _, _ = socket.recv_fds(requests, _MOST_WORDS, 8)
        if not words:
            return
        _reap(ended)
        asked = words.split()
        if asked[0] == b"new":
            child = os.fork()
            if child == 0:
                requests.close()
                _become(handles)
            for each in handles:
                os.close(each)
            requests.send(b"%d" % child)
        else:
            child = int(asked[1])
            if child not in ended:
                ended[child] = os.waitpid(child, 0)[1]
            requests.send(b"%d" % ended.pop(child))


def _reap(ended: dict[int, int]) -> None:
    try:
        while True:
            child, status = os.waitpid(-1, os.WNOHANG)
            if child == 0:
                return
            ended[child] = status
    except ChildProcessError:
        pass


def _become(handles: list[int]) -> None:
    """The process of a device; does not return."""
    status = 1
    try:
        requests, obituary, output, errors = handles
        os.dup2(output, 1)
        os.dup2(errors, 2)
        os.close(output)
        os.close(errors)
        os.set_inheritable(requests, False)
        os.set_inheritable(obituary, False)
        _Server(requests, obituary).serve()
        status = 0
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(status)


class _Server:
    """Does what a script asks of its device. Names of methods are those of requests."""

    def __init__(self, handle: int, obituary: int):
        self._handle, self._obituary = handle, obituary
        self._device: Any = None
        self._file = -1  # of global memory, until the script has it
        self._modules: list[_native.KernelModule] = []
        self._records: dict[int, _native.LaunchRecord] = {}
        self._last: _native.LaunchRecord | None = None

    def serve(self) -> None:
        while True:
            message = _native.receive(self._handle)
            if message is None:
                return
            name, args, freed, forgotten, place = pickle.loads(message)
            answer: tuple[str, Any]
            try:
                for address, made_at in freed:
                    _native.set_caller(made_at)
                    self._device.free(address)
                for number in forgotten:
                    self._records.pop(number, None)
                _native.set_caller(place)
                answer = "", getattr(self, name)(*args)
            except Error as error:
                answer = type(error).__name__, str(error)
            except Exception:
                answer = "InternalError", traceback.format_exc()
            _native.send(self._handle, pickle.dumps(answer))
            if self._file >= 0:
                self._send_file()

    def open(self, folder: str, environment: dict[str, str], chip: str,
             options: dict[str, Any]) -> int:
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        self._device = _native.EmulatedDevice(chip, shared=True, obituary=self._obituary,
                                              **options)
        self._file, begin = self._device.take_memory_file()
        return begin

    def _send_file(self) -> None:
        """Follows the answer to open()."""
        with socket.socket(fileno=os.dup(self._handle)) as here:
            socket.send_fds(here, [b"m"], [self._file])
        os.close(self._file)
        self._file = -1

    def load(self, path: str) -> tuple[int, list[str]]:
        self._modules.append(_native.KernelModule(path))
        return len(self._modules) - 1, self._modules[-1].kernels()

    def argument_structs(self, module: int, kernel: str) -> str:
        return self._modules[module].argument_structs(kernel)

    def submit(self, module: int, kernel: str, args: bytes, cores: int = 1) -> int:
        record = self._device.submit(self._modules[module], kernel, args, cores)
        self._last = self._records[record.number] = record
        return record.number

    def run(self, module: int, kernel: str, args: bytes, cores: int,
            most_ms: int) -> tuple[int, Any]:
        number = self.submit(module, kernel, args, cores)
        return number, self.outcome(number, most_ms)

    def outcome(self, number: int, most_ms: int) -> Any:
        """What became of a launch; None when it is not over after so long."""
        record = self._records[number]
        if not self._device.done(record, most_ms):
            return None
        return record.us, record.us_at_most, record.failure(), self._device.news()

    def done(self, number: int) -> bool:
        return self._device.done(self._records[number])

    def rest(self, most_ms: int) -> bool:
        """Whether all launches are over, after so long."""
        return self._last is None or self._device.done(self._last, most_ms)

    def access(self, reads: bool, address: int, offsets: bytes, run_bytes: int) -> str:
        for offset in memoryview(offsets).cast("q"):
            self._device.access(reads, address + offset, run_bytes)
        return self._device.news()

    def real(self, address: int, dtype: str, values: Any) -> Any:
        self._device.replace_by_real(address, dtype, values)
        return values

    def ask(self, name: str, *args: Any) -> Any:
        """Anything else of the device."""
        return getattr(self._device, name)(*args)

    def allocated(self) -> int:
        return self._device.allocated

    def said(self, what: str, number: int) -> str:
        return getattr(_native, what)(self._records[number])

    def said_of_all(self, what: str, numbers: list[int], *args: Any) -> Any:
        return getattr(_native, what)([self._records[number] for number in numbers], *args)


def main() -> None:
    """The nursery; its only word is the handle of the socket."""
    nursery(int(sys.argv[-1]))
