"""Both launches against numpy, over many sizes: python3 -m pytest  与 numpy 比较，许多大小。"""

from pathlib import Path

import numpy as np
import tensorlane


@tensorlane.cases(shapes=[(1, 1), (1, 500), (70, 1), (64, 64), (130, 33), (3, 20000)])
def test_my_kernel(my_chip, shape):
    kernels = my_chip.compile(Path(__file__).with_name("my_kernel.c"))
    x = np.random.default_rng(shape).standard_normal(shape).astype(np.float32)
    output, mean = my_chip.empty(shape), my_chip.empty(shape[:1])
    fields = dict(output_addr=output, mean_addr=mean, input_addr=my_chip.tensor(x), rows=shape[0], cols=shape[1])
    for name in ("my_kernel_mean", "my_kernel_subtract"):
        kernels.launch(name, **fields)
    tensorlane.assert_close(output, (x - x.mean(1, keepdims=True, dtype=np.float64)).astype(np.float32), atol=1e-5)
