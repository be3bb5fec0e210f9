"""The same as a test over many shapes: python3 -m pytest -n auto"""

from pathlib import Path

import numpy as np
import tensorlane


@tensorlane.cases(shapes=[(1, 8), (64, 512), (130, 500), (1000, 33)], epsilon=[1e-5, 0.5])
def test_rmsnorm(bm1684x, shape, epsilon):
    kernel = bm1684x.compile(Path(__file__).with_name("rmsnorm.c"))
    x = np.random.default_rng(0).standard_normal(shape).astype(np.float32)
    output = bm1684x.empty(shape)
    kernel.launch("rmsnorm", output=output, input=bm1684x.tensor(x), rows=shape[0], cols=shape[1],
                  epsilon=epsilon)
    tensorlane.assert_close(output, x / np.sqrt((x * x).mean(1, keepdims=True) + epsilon))
