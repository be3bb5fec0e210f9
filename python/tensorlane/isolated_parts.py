"""What an isolated device has: modules of kernels, memory, launches; see isolation.py."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _native

if TYPE_CHECKING:
    from .isolation import IsolatedDevice


class IsolatedModule:
    """A library of kernels that the other process has loaded."""

    def __init__(self, device: IsolatedDevice, number: int, kernels: list[str]):
        self._device, self.number, self._kernels = device, number, kernels

    def kernels(self) -> list[str]:
        return self._kernels

    def argument_structs(self, kernel: str) -> str:
        return self._device._ask("argument_structs", self.number, kernel)


class IsolatedMemory:
    """Bytes of global memory that belong to the script."""

    def __init__(self, device: IsolatedDevice, address: int, nbytes: int):
        self._device, self.address, self.nbytes = device, address, nbytes
        self._place = _native.caller()

    def write(self, data: np.ndarray) -> None:
        self._device.write(self.address, self.nbytes, data)

    def touch(self, reads: bool) -> None:
        self._device.touch(reads, self.address, self.nbytes)

    def view(self) -> Any:
        return self.view_runs(np.zeros(1, np.int64), self.nbytes)

    def view_runs(self, offsets: np.ndarray, run_bytes: int) -> Any:
        return self._device.view(self, offsets, run_bytes)

    def __del__(self) -> None:
        self._device._freed.append((self.address, self._place))  # told with the next request


class IsolatedRecord:
    """A launch in the other process."""

    def __init__(self, device: IsolatedDevice, kernel: str):
        self.device, self.kernel = device, kernel
        self.number = -1
        self.us = self.us_at_most = 0.0
        self.failed: str | None = None

    def failure(self) -> str | None:
        return self.failed

    def said(self, what: str) -> str:
        return self.device.said(what, self.number)

    def __del__(self) -> None:
        if self.number >= 0:
            self.device._forgotten.append(self.number)
