"""Runs rmsnorm.c on an emulated BM1684X and compares it with numpy: python3 rmsnorm.py"""

import numpy as np
import tensorlane

device = tensorlane.Device("bm1684x")
kernel = device.compile("rmsnorm.c")
x = np.random.randn(128, 512).astype(np.float32)
output = device.empty(x.shape)
launch = kernel.launch("rmsnorm", output=output, input=device.tensor(x), rows=128, cols=512,
                       epsilon=1e-5)
tensorlane.assert_close(output, x / np.sqrt((x * x).mean(1, keepdims=True) + 1e-5))
print(launch.time)
