"""What the tests of the Python package share."""

import contextlib
import functools
import os
import signal
from pathlib import Path

import numpy as np
import pytest

import tensorlane
from tensorlane.ppl import PplModule

KERNELS = Path(__file__).parent / "kernels"
RMSNORM = Path(__file__).parents[2] / "examples" / "python" / "rmsnorm.c"


@functools.cache
def library_of(chip, source):
    return tensorlane.Device(chip).compile(source).path


def compiled_once(device, source):
    """The kernels of a `.pl` file: its text is looked at once for all devices of a chip, which takes
    as long as many launches."""
    return device.load(library_of(device.chip, source), PplModule)


@pytest.fixture
def okk():
    """A BM1684 with the kernel `faulty`, an input and an output."""
    device = tensorlane.Device("bm1684")
    return Faulty(device)


class Faulty:
    """The kernel of kernels/faulty.c, whose argument `mode` says what it does wrong."""

    FINE, RACE, OUTSIDE, LIMIT, CRASH, HANG, UNINITIALISED = range(7)

    def __init__(self, device):
        self.device = device
        self.module = device.compile(KERNELS / "faulty.c")
        self.array = np.arange(64 * 8 * 8, dtype=np.float32).reshape(1, 64, 8, 8)
        self.input = device.tensor(self.array)
        self.output = device.empty(self.array.shape)

    def __call__(self, mode, **options):
        return self.module.launch("faulty", output=self.output, input=self.input, mode=mode,
                                  **options)


@contextlib.contextmanager
def two_workers():
    """Two worker processes of dask: the address of their scheduler, and what kills one of them."""
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True,
                                  dashboard_address=":0") as cluster:
        with distributed.Client(cluster, set_as_default=False) as client:
            lost = next(iter(client.run(os.getpid).values()))
            yield cluster.scheduler_address, functools.partial(os.kill, lost, signal.SIGKILL)
            assert lost not in client.run(os.getpid).values()
