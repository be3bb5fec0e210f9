"""Finds the fastest tile of matmul.c for a shape: python3 tune_matmul.py [ROWS INNER COLS]"""

import sys

import numpy as np
import tensorlane

CHIP = "bm1684x"


def tuned(rows, inner, cols, **options):
    """What tensorlane.tune finds; options go to it."""
    rng = np.random.default_rng(0)
    left = rng.standard_normal((rows, inner)).astype(np.float16)
    right = rng.standard_normal((inner, cols)).astype(np.float16)

    def fits(point):  # two buffers of each matrix
        tile = {"left": (point["TILE_ROWS"], inner), "right": (inner, point["TILE_COLS"]),
                "output": (point["TILE_ROWS"], point["TILE_COLS"])}
        return tensorlane.plan(CHIP, {
            name: tensorlane.Operand((1, high, 1, wide), "fp16", buffers=2)
            for name, (high, wide) in tile.items()})

    return tensorlane.tune(
        "matmul.c", CHIP, "matmul",
        {"left": left, "right": right, "output": tensorlane.Output((rows, cols), "fp16"),
         "rows": rows, "inner": inner, "cols": cols},
        macros={"TILE_ROWS": range(64, rows + 1, 64), "TILE_COLS": range(64, cols + 1, 64)},
        constraints=fits, tolerance="1e-2",
        reference=lambda args: args["left"].astype(np.float32) @ args["right"].astype(np.float32),
        **options)


if __name__ == "__main__":
    print(tuned(*map(int, sys.argv[1:4] or (256, 512, 256))))
