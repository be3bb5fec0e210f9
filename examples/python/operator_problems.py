"""The kernels of examples/okkernel/operators as problems for a tuner.

A problem has the arguments of a kernel, the tiles that may be asked for (operators.h), which of
them fit local memory, and, where somebody wants to check a tile, numbers with the right result.
"""

import ctypes
import dataclasses
import functools
import math
import re
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Callable

import numpy as np
import tensorlane
from tensorlane import Operand

CHIP, NPUS = "bm1684", 64
FOLDER = Path(__file__).resolve().parent.parent / "okkernel" / "operators"
SOURCES = {"conv2d": ["conv2d.c", "conv_tiles.c"], "matmul": ["matmul.c", "conv_tiles.c"],
           "depthwise": ["depthwise.c", "window_tiles.c"],
           "avgpool": ["avgpool.c", "window_tiles.c"]}
WINDOW_TILE = ["images", "channels", "rows", "columns", "bands"]
CONV_TILE = ["images", "in_channels", "out_channels", "rows", "columns"]
COLUMN_TILE = ["outer", "length", "inner", "shared"]
TILES = {"conv2d": CONV_TILE, "matmul": CONV_TILE, "depthwise": WINDOW_TILE,
         "avgpool": WINDOW_TILE, "softmax": COLUMN_TILE, "reducesum": COLUMN_TILE,
         "transpose": ["input", "output", "around", "shared"]}
MOST_CHANNELS = 4032  # of the engine


@dataclass
class Problem:
    """A kernel at one size. `tiles` are the values of each field of its tile; none where it has no
    choice. `fits` plans local memory for a tile. `numbers` makes inputs and the right output."""

    operator: str
    args: dict[str, Any]
    tiles: dict[str, list[int]]
    fits: Callable[[dict[str, int]], Any]
    shapes: dict[str, tuple[int, ...]]  # of inputs and scratch memory
    output: tuple[int, ...]
    numbers: Callable[[], tuple[dict[str, np.ndarray], np.ndarray]]
    tolerance: str = "rel=1e-4"

    @property
    def sources(self):
        names = SOURCES.get(self.operator, [f"{self.operator}.c"])
        return [FOLDER / name for name in names]

    @property
    def own_tile(self):
        """The tile that lets the kernel choose."""
        if self.operator == "rgb2bgr":
            return {"tile_row": 0}
        return {f"tile.{name}": 0 for name in TILES[self.operator]}

    def with_own_choice(self):
        """The same problem with a tile more: the kernel's own."""
        def fits(tile):
            if not any(tile.values()):
                return True
            return self.fits(tile) if all(tile.values()) else "a part of the kernel's own choice"
        tiles = {name: [0, *values] for name, values in self.tiles.items()}
        return dataclasses.replace(self, tiles=tiles, fits=fits)

    @property
    def bytes(self):
        """Of all tensors."""
        return 4 * sum(math.prod(shape) for shape in [*self.shapes.values(), self.output])


def sizes():
    """The published sizes of cases.h: (operator, case, numbers)."""
    rows = re.findall(r'\{"(\w+)", (\d+), [\d.]+, (?:true|false), "([\d,]+)"\}',
                      (FOLDER / "cases.h").read_text())
    return [(operator, int(case), [int(number) for number in numbers.split(",")])
            for operator, case, numbers in rows if int(case) < 100]


def problem(operator, numbers):
    """The problem of an operator at a size, its numbers in the order of cases.h."""
    return {"conv2d": _conv2d, "matmul": _matmul, "depthwise": _depthwise, "avgpool": _avgpool,
            "softmax": _softmax, "reducesum": _reducesum, "rgb2bgr": _rgb2bgr,
            "transpose": _transpose}[operator](*numbers)


# ---- blocks -------------------------------------------------------------------------------------

def _cuts(total):
    """An axis in 1 to 16, then 20, 24, 28, 32, 40, ... parts."""
    blocks, parts, step = set(), 1, 1
    while -(-total // parts) > 1:
        blocks.add(-(-total // parts))
        step = max(1, 2 ** int(math.log2(parts)) // 4) if parts >= 16 else 1
        parts += step
    return sorted(blocks | {1})


def _channel_cuts(total):
    """Whole NPUs."""
    blocks = {min(-(-block // NPUS) * NPUS, total) for block in _cuts(total)}
    return sorted({min(block, MOST_CHANNELS) for block in blocks})


def _run_cuts(total):
    """The same and, beside each, runs of whole 128 bytes."""
    blocks = _cuts(total)
    return sorted({*blocks, *(min(-(-block // 32) * 32, total) for block in blocks)})


def _plan(**tensors):
    return tensorlane.plan(CHIP, tensors, shared_banks=True)


# ---- windows ------------------------------------------------------------------------------------

@dataclass
class Window:
    size: int
    kernel: int
    before: int
    after: int
    step: int = 1
    dilation: int = 1
    more: int = 0  # outputs that rounding up adds

    @property
    def extent(self):
        return (self.kernel - 1) * self.dilation + 1

    @property
    def outputs(self):
        return (self.size + self.before + self.after - self.extent) // self.step + 1 + self.more

    def inputs(self, outputs):
        """How many inputs `outputs` need."""
        return min(self.size, (outputs - 1) * self.step + self.extent)

    def taps(self, array, axis, fill=0.0):
        """The inputs of every tap, for all outputs."""
        around = [(0, 0)] * array.ndim
        around[axis] = (self.before, max(0, (self.outputs - 1) * self.step + self.extent
                                         - self.size - self.before))
        padded = np.pad(array, around, constant_values=fill)
        for tap in range(self.kernel):
            first = tap * self.dilation
            yield np.take(padded, range(first, first + (self.outputs - 1) * self.step + 1,
                                        self.step), axis)


def _windows(height, width, kernel, pads, strides, dilations=(1, 1)):
    return (Window(height, kernel[0], pads[0], pads[1], strides[0], dilations[0]),
            Window(width, kernel[1], pads[2], pads[3], strides[1], dilations[1]))


def _window_args(kernel, pads, strides, dilations):
    names = ["kernel_h", "kernel_w", "pad_top", "pad_bottom", "pad_left", "pad_right", "stride_h",
             "stride_w", "dilation_h", "dilation_w"]
    return dict(zip(names, [*kernel, *pads, *strides, *dilations]))


# ---- convolution and matrix product -------------------------------------------------------------

_WEIGHT = """#include "conv_weight.h"
int rows_as_channels(const conv2d_args *args) { return conv_rows_as_channels(args); }
int engine_channel(const conv2d_args *args, int i, int row) {
  return conv_engine_channel(args, i, row);
}
"""


@functools.lru_cache(maxsize=1)
def _weight_packing():
    """The functions of conv_weight.h, which say how a host packs the weight."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "conv_weight.so"
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", f"-I{FOLDER}", "-", "-o", library],
                       input=_WEIGHT, text=True, check=True)
        return ctypes.CDLL(str(library))


def _conv_tiles(images, in_channels, out_channels, rows, columns, keep_input=False):
    tiles = {"images": _cuts(images), "out_channels": _channel_cuts(out_channels),
             "in_channels": [in_channels] if keep_input else _channel_cuts(in_channels),
             "rows": _cuts(rows), "columns": _run_cuts(columns)}
    return {f"tile.{name}": blocks for name, blocks in tiles.items()}


def _conv_fits(y, x, taps, row_taps):
    def fits(tile):
        images, rows, columns = (tile[f"tile.{name}"] for name in ("images", "rows", "columns"))
        channels, outputs = tile["tile.in_channels"], tile["tile.out_channels"]
        height = rows if row_taps else y.inputs(rows)
        return _plan(
            input=Operand((images, channels, height, x.inputs(columns)), buffers=2),
            weight=Operand((1, outputs, 1, -(-channels // 2) * 2 * taps), layout="compact"),
            output=Operand((images, outputs, rows, columns), buffers=2))
    return fits


def _conv2d(images, channels, outputs, height, width, *window):
    kernel, pads, strides, dilations = window[:2], window[2:6], window[6:8], window[8:]
    y, x = _windows(height, width, kernel, pads, strides, dilations)
    size = [images, channels, outputs, height, width]
    library, block = _weight_packing(), (ctypes.c_int * 64)(*size, *window)
    row_taps = bool(library.rows_as_channels(block))
    engine_channels = channels * kernel[0] if row_taps else channels
    taps = kernel[1] if row_taps else kernel[0] * kernel[1]
    pairs = -(-engine_channels // 2)

    def numbers():
        rng = np.random.default_rng(1)
        given = rng.random((images, channels, height, width), np.float32)
        weight = rng.random((outputs, channels, *kernel), np.float32)
        packed = np.zeros((outputs, pairs, taps, 2), np.float32)
        for i in range(channels):
            for row in range(kernel[0]):
                at = library.engine_channel(block, i, row) if row_taps else i
                first = 0 if row_taps else row * kernel[1]
                packed[:, at // 2, first:first + kernel[1], at % 2] = weight[:, i, row]
        wanted = np.zeros((outputs, images, y.outputs, x.outputs))
        for row, rows in enumerate(y.taps(given, 2)):
            for column, values in enumerate(x.taps(rows, 3)):
                wanted += np.tensordot(weight[:, :, row, column].astype(float), values, (1, 1))
        return {"input_addr": given, "weight_addr": packed}, wanted.transpose(1, 0, 2, 3)

    return Problem(
        "conv2d", {**dict(zip(("N", "IC", "OC", "H", "W"), size)),
                   **_window_args(kernel, pads, strides, dilations)},
        _conv_tiles(images, engine_channels, outputs, y.outputs, x.outputs, row_taps),
        _conv_fits(y, x, taps, row_taps),
        {"input_addr": (images, channels, height, width), "weight_addr": (outputs, pairs, taps, 2)},
        (images, outputs, y.outputs, x.outputs), numbers)


def _matmul(rows, inner, columns):
    def numbers():
        rng = np.random.default_rng(1)
        left = rng.random((rows, inner), np.float32)
        right = rng.random((inner, columns), np.float32)
        return ({"left_addr": left, "right_addr": right}, left.astype(float) @ right)

    y, x = Window(1, 1, 0, 0), Window(columns, 1, 0, 0)
    return Problem(
        "matmul", {"left_rows": rows, "left_cols": inner, "right_cols": columns},
        _conv_tiles(1, inner, rows, 1, columns), _conv_fits(y, x, 1, False),
        {"left_addr": (rows, inner), "right_addr": (inner, columns)}, (rows, columns), numbers)


# ---- pooling and depthwise convolution ----------------------------------------------------------

def _window_tiles(images, channels, y, x, most_bands):
    tiles = {"images": _cuts(images), "channels": _channel_cuts(channels),
             "rows": sorted({block for bands in range(1, most_bands + 1)
                             for block in _cuts(-(-y.outputs // bands))}),
             "columns": _cuts(x.outputs), "bands": list(range(1, most_bands + 1))}
    return {f"tile.{name}": blocks for name, blocks in tiles.items()}


def _window_fits(y, x, reserved):
    def fits(tile):
        images, channels, rows, columns, bands = tile.values()
        if rows > -(-y.outputs // bands):
            return "more rows than a band has"
        height = (rows - 1) * y.step + y.extent if bands > 1 else y.inputs(rows)
        tensors = {"input": Operand((images, channels * bands, height, x.inputs(columns)),
                                    buffers=2),
                   "output": Operand((images, channels * bands, rows, columns), buffers=2)}
        if reserved:
            tensors["weight"] = Operand((1, channels, 1, reserved), layout="compact")
        return _plan(**tensors)
    return fits


def _depthwise(images, channels, height, width, *window):
    kernel, pads, strides, dilations = window[:2], window[2:6], window[6:8], window[8:]
    y, x = _windows(height, width, kernel, pads, strides, dilations)
    # Batches become channels where these leave NPUs idle.
    copies = max(factor for factor in range(1, max(1, NPUS // channels) + 1)
                 if images % factor == 0 and factor <= images)

    def numbers():
        rng = np.random.default_rng(1)
        given = rng.random((images, channels, height, width), np.float32)
        weight = rng.random((channels, *kernel), np.float32)
        wanted = sum(weight[:, row, column, None, None].astype(float) * values
                     for row, rows in enumerate(y.taps(given, 2))
                     for column, values in enumerate(x.taps(rows, 3)))
        return {"input_addr": given, "weight_addr": weight}, wanted

    return Problem(
        "depthwise", {"N": images, "C": channels, "H": height, "W": width,
                      **_window_args(kernel, pads, strides, dilations)},
        _window_tiles(images // copies, channels * copies, y, x,
                      max(1, NPUS // (channels * copies))),
        _window_fits(y, x, kernel[0] * kernel[1]),
        {"input_addr": (images, channels, height, width), "weight_addr": (channels, *kernel)},
        (images, channels, y.outputs, x.outputs), numbers)


def _avgpool(images, channels, height, width, *window):
    kernel, pads, strides = window[:2], window[2:6], window[6:8]
    ceil_mode, include_pad = window[8:]
    y, x = _windows(height, width, kernel, pads, strides)
    for axis in (y, x):
        room = axis.size + axis.before + axis.after - axis.kernel
        # A last window that would start in the padding behind the input is dropped.
        if ceil_mode and room % axis.step and axis.outputs * axis.step < axis.size + axis.before:
            axis.more = 1
    planes = images * channels
    tiles = _window_tiles(1, planes, y, x, 1)
    fits = _window_fits(y, x, 0)
    lanes = max(part for part in range(1, NPUS + 1) if planes % part == 0)
    if (kernel == (height, width) and not any(pads) and height * width <= 2047
            and 2 * lanes > NPUS):  # planes are runs, rows of one image
        rows, run = Window(planes // lanes, 1, 0, 0), Window(height * width, height * width, 0, 0)
        tiles, fits = _window_tiles(1, lanes, rows, run, 1), _window_fits(rows, run, 0)

    def numbers():
        given = np.random.default_rng(1).random((images, channels, height, width), np.float32)
        sums = sum(values.astype(float) for rows in y.taps(given, 2) for values in x.taps(rows, 3))
        counted = [_counted(axis, include_pad) for axis in (y, x)]
        return {"input_addr": given}, sums / np.outer(*counted)

    names = ["kernel_h", "kernel_w", "pad_top", "pad_bottom", "pad_left", "pad_right", "stride_h",
             "stride_w", "ceil_mode", "count_include_pad"]
    return Problem(
        "avgpool", {"N": images, "C": channels, "H": height, "W": width,
                    **dict(zip(names, window))},
        tiles, fits, {"input_addr": (images, channels, height, width)},
        (images, channels, y.outputs, x.outputs), numbers)


def _counted(axis, include_pad):
    """How many elements of each window count in the divisor."""
    first, last = (-axis.before, axis.size + axis.after) if include_pad else (0, axis.size)
    starts = np.arange(axis.outputs) * axis.step - axis.before
    return np.minimum(starts + axis.kernel, last) - np.maximum(starts, first)


# ---- along one axis -----------------------------------------------------------------------------

def _column_tiles(outer, length, inner, big, small):
    """Blocks of outer x length x inner, `big` buffers of whole columns and `small` of results."""
    tiles = {"tile.outer": _cuts(outer), "tile.length": _cuts(length), "tile.inner": _cuts(inner),
             "tile.shared": [1, 2]}

    def fits(tile):
        outer, length, row, _ = tile.values()
        if inner == 1:  # columns lie along W
            return _plan(columns=Operand((1, NPUS, outer, length), buffers=big),
                         results=Operand((1, NPUS, outer, 1), buffers=small))
        return _plan(columns=Operand((outer, NPUS, length, row), buffers=big),
                     results=Operand((outer, NPUS, 1, row), buffers=small))
    return tiles, fits


def _softmax(images, channels, height, width, bounded=0):
    shape = images, channels, height, width
    tiles, fits = _column_tiles(images, channels, height * width, 4, 4)

    def numbers():
        given = np.random.default_rng(1).uniform(-1, 1, shape).astype(np.float32)
        powers = np.exp(given.astype(float))
        return {"input_addr": given}, powers / powers.sum(1, keepdims=True)

    return Problem("softmax", {**dict(zip("NCHW", shape)), "bounded": bounded}, tiles, fits,
                   {"input_addr": shape}, shape, numbers)


def _reducesum(images, channels, height, width, *axes):
    shape = images, channels, height, width
    merged = []  # neighbours that are both summed or both kept are one axis
    for size, summed in ((size, axis in axes) for axis, size in enumerate(shape) if size > 1):
        if merged and merged[-1][1] == summed:
            merged[-1] = merged[-1][0] * size, summed
        else:
            merged.append((size, summed))
    last = max(at for at, (_, summed) in enumerate(merged) if summed)
    outer, length, inner = (math.prod(size for size, _ in merged[:last]), merged[last][0],
                            math.prod(size for size, _ in merged[last + 1:]))
    if inner == 1 and length > 2047:  # rows of 1024 first
        length, inner = length // 1024, 1024
    tiles, fits = _column_tiles(outer, length, inner, 2, 3)
    output = tuple(1 if axis in axes else size for axis, size in enumerate(shape))

    def numbers():
        given = np.random.default_rng(1).random(shape, np.float32)
        return {"input_addr": given, "scratch_addr": np.zeros((2, *shape), np.float32)}, given.sum(
            axes, dtype=float, keepdims=True)

    return Problem("reducesum", {**dict(zip("NCHW", shape)), "axis_num": len(axes),
                                 "axis_list": [*axes, *[0] * (4 - len(axes))]},
                   tiles, fits, {"input_addr": shape, "scratch_addr": (2, *shape)}, output, numbers)


# ---- moves --------------------------------------------------------------------------------------

def _rgb2bgr(pixels):
    # Few are copied in global memory.
    tiles = {"tile_row": _run_cuts(-(-pixels // NPUS))} if pixels > 512 else {}

    def numbers():
        given = np.random.default_rng(1).random((pixels, 3), np.float32)
        return {"input_addr": given}, given[:, ::-1]

    return Problem("rgb2bgr", {"pixels": pixels}, tiles,
                   lambda tile: _plan(pixels=Operand((1, NPUS, 1, 3 * tile["tile_row"]),
                                                     buffers=4)),
                   {"input_addr": (pixels, 3)}, (pixels, 3), numbers, "abs=0")


def _transpose(*numbers):
    shape, order = numbers[:4], numbers[4:]
    strides = [math.prod(shape[axis + 1:]) for axis in range(4)]
    axes = []  # (size, stride in the input) in the order of the output, neighbours merged
    for axis in order:
        if shape[axis] == 1:
            continue
        if axes and axes[-1][1] == shape[axis] * strides[axis]:
            axes[-1] = axes[-1][0] * shape[axis], strides[axis]
        else:
            axes.append((shape[axis], strides[axis]))
    tiles = {}
    if axes and axes[-1][1] != 1:  # else runs stay runs: copies inside global memory
        around = [size for size, stride in axes[:-1] if stride != 1]
        tiles = {"tile.input": _cuts(next(size for size, stride in axes if stride == 1)),
                 "tile.output": _cuts(axes[-1][0]),
                 "tile.around": sorted({block for size in (*around, 1) for block in _cuts(size)}),
                 "tile.shared": [*range(1, len(around) + 1), 3, 4]}
    output = tuple(shape[axis] for axis in order)

    def fits(tile):
        inputs, outputs, many, _ = tile.values()
        return _plan(plane=Operand((many, NPUS, inputs, outputs), layout="compact", buffers=4))

    def values():
        given = np.random.default_rng(1).random(shape, np.float32)
        return {"input_addr": given}, given.transpose(order)

    return Problem("transpose", {**dict(zip("NCHW", shape)), "order": list(order)}, tiles, fits,
                   {"input_addr": shape}, output, values, "abs=0")
