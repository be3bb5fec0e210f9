"""Runs kernels/tiles.c for `tensorlane why`: run_tiles.py CORES ORDER."""

import sys
from pathlib import Path

import numpy as np

import tensorlane

cores, order = int(sys.argv[1]), sys.argv[2]
device = tensorlane.Device("sg2260e", check="none", cores=order)
x = device.tensor(np.arange(4 * 4 * 1024, dtype=np.float32) / 64)
out = device.empty((4 * 4 * 1024,))
device.compile(Path(__file__).parent / "kernels/tiles.c").launch("tiles", input=x, out=out, tiles=4, cores=cores).wait()
out.numpy()
