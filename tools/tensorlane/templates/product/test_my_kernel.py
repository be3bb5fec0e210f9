"""The kernel against numpy, over many sizes: python3 -m pytest  与 numpy 比较，许多大小。"""

from pathlib import Path

import numpy as np
import tensorlane


@tensorlane.cases(shapes=[(1, 1, 1), (1, 300, 7), (65, 9, 1), (64, 64, 64), (50, 200, 300), (129, 600, 1030)])
def test_my_kernel(my_chip, shape):
    rows, inner, cols = shape
    kernel = my_chip.compile(Path(__file__).with_name("my_kernel.c"))
    # Small whole numbers: their sums of products are exact. 小整数：乘积之和是精确的。
    random = np.random.default_rng(shape)
    left = random.integers(-8, 8, (rows, inner)).astype(np.float32)
    right = random.integers(-8, 8, (inner, cols)).astype(np.float32)
    output = my_chip.empty((rows, cols))
    kernel.launch("my_kernel", output_addr=output, left_addr=my_chip.tensor(left), right_addr=my_chip.tensor(right),
                  rows=rows, inner=inner, cols=cols)
    tensorlane.assert_close(output, left @ right)
