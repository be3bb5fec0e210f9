"""The kernel against numpy, over many sizes: python3 -m pytest  与 numpy 比较，许多大小。"""

from pathlib import Path

import numpy as np
import tensorlane


@tensorlane.cases(shapes=[(1, 1), (1, 500), (70, 1), (64, 64), (130, 33), (3, 20000)])
def test_my_kernel(my_chip, shape):
    kernel = my_chip.compile(Path(__file__).with_name("my_kernel.c"))
    x = np.random.default_rng(shape).standard_normal(shape).astype(np.float32)
    output = my_chip.empty(shape[:1])
    kernel.launch("my_kernel", output_addr=output, input_addr=my_chip.tensor(x), rows=shape[0], cols=shape[1])
    # fp32 adds in another order: the error grows with what is added. 误差随相加的数增长。
    tensorlane.assert_close(output, x.sum(1, dtype=np.float64).astype(np.float32), rtol=0,
                            atol=1e-5 * float(np.abs(x).sum(1).max()))
