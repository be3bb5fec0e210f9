"""The kernel against numpy, over many sizes: python3 -m pytest  与 numpy 比较，许多大小。"""

from pathlib import Path

import numpy as np
import tensorlane


@tensorlane.cases(count=[1, 63, 64, 65, 1000, 64 * 4096 + 17])
def test_my_kernel(my_chip, count):
    kernel = my_chip.compile(Path(__file__).with_name("my_kernel.c"))
    x = np.random.default_rng(count).standard_normal(count).astype(np.float32)
    output = my_chip.empty(x.shape)
    kernel.launch("my_kernel", output_addr=output, input_addr=my_chip.tensor(x), count=count, scale=3.0)
    tensorlane.assert_close(output, x * np.float32(3))
