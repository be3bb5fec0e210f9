# %% [markdown]
# # A kernel, from the first line to its timeline
#
# This notebook writes a kernel for the BM1684X, runs it, checks it against numpy and looks at where its time goes. Every cell
# can be changed and run again.

# %%
import numpy as np
import tensorlane

device = tensorlane.Device("bm1684x", history=True)

# %% [markdown]
# ## Where the tensor lies
#
# Channels are dealt to the NPUs. This is how a small tensor of fp16 lies in the first of them, with the layout that element-wise
# functions expect by default.

# %%
tensorlane.layout("bm1684x:aligned", (1, 6, 3, 5), "fp16")

# %% [markdown]
# ## Write
#
# The kernel scales a line of numbers, dealt to 64 NPUs.

# %%
source = r"""
#include "tpu_kernel.h"

typedef struct {
  unsigned long long output, input;
  int channels, columns;
  float factor;
} scale_args;

void scale(const void* args) {
  const scale_args* a = (const scale_args*)args;
  const dim4 shape = {.n = 1, .c = a->channels, .h = 1, .w = a->columns};
  const scalar_t factor = {.f32 = a->factor};
  const local_addr_t x = 0, y = 65536;
  tpu_initialize();
  tpu_gdma_cpy_S2L(x, a->input, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(y, x, factor, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, y, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(scale)
"""
kernel = device.compile(source=source)
kernel.arguments("scale")

# %% [markdown]
# ## Run and check

# %%
x = np.arange(64 * 1000, dtype=np.float32).reshape(64, 1000)
output = device.empty(x.shape)
launch = kernel.launch("scale", output=output, input=device.tensor(x), channels=64, columns=1000, factor=0.5)
tensorlane.assert_equal(output, x * 0.5)
output.numpy()

# %% [markdown]
# What is wrong is an exception that names the line and the rule. Here the host gives room for half of the result.

# %%
try:
    kernel.launch("scale", output=device.empty((32, 1000)), input=device.tensor(x), channels=64, columns=1000, factor=0.5)
except tensorlane.FindingError as error:
    print(error)

# %% [markdown]
# ## Where a number came from

# %%
print(device.why(output, (3, 7)))

# %% [markdown]
# ## Where the time goes
#
# The times are those of a model of the chip, the same on every machine.

# %%
launch.timeline

# %%
launch.memory_map

# %%
print(launch.time)
