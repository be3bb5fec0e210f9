"""The process that makes those of isolated devices."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading

from .errors import UserError
from .texts import tr


class Nursery:
    """A process that has imported the package and forks those of devices: that takes
    milliseconds, and no threads of the script are lost on the way."""

    def __init__(self) -> None:
        self.process = os.getpid()
        self._lock = threading.Lock()
        self._socket, there = socket.socketpair(type=socket.SOCK_SEQPACKET)
        folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        code = ("import sys; sys.path[:] = [sys.argv[1], *filter(None, sys.path)]; "
                "from tensorlane.isolated import main; main()")
        # Libraries below numpy make threads as they are loaded.
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        with there:
            try:
                self._server = subprocess.Popen(
                    [sys.executable, "-c", code, folder, str(there.fileno())], env=environment,
                    pass_fds=[there.fileno()], stdin=subprocess.DEVNULL)
            except OSError as error:
                raise UserError(tr("launches cannot be isolated: {}", error)) from None

    def new_process(self, *handles: int) -> int:
        """Forks a process for a device, with these handles: its number."""
        output, errors_ = (_or_nothing(handle) for handle in (1, 2))
        try:
            return self._asked(b"new", [*handles, output, errors_])
        finally:
            os.close(output)
            os.close(errors_)

    def status_of(self, child: int) -> int:
        """How one ended, as os.waitpid says."""
        return self._asked(b"status %d" % child, [])

    def _asked(self, words: bytes, handles: list[int]) -> int:
        with self._lock:
            try:
                socket.send_fds(self._socket, [words], handles)
                answer = self._socket.recv(64)
            except OSError:
                answer = b""
        if not answer:
            raise UserError(tr("launches cannot be isolated: the process for it ended with status "
                               "{}", self._server.wait()))
        return int(answer)


def _or_nothing(handle: int) -> int:
    """A copy of what the script's output goes to."""
    try:
        return os.dup(handle)
    except OSError:
        return os.open(os.devnull, os.O_WRONLY)


_the_nursery: Nursery | None = None
_nursery_lock = threading.Lock()


def nursery() -> Nursery:
    """That of this process; it is made when it is needed."""
    global _the_nursery
    with _nursery_lock:
        if _the_nursery is None or _the_nursery.process != os.getpid():
            _the_nursery = Nursery()
        return _the_nursery


