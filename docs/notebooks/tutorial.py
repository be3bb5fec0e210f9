# %% [markdown]
# # A kernel, from the first line to its timeline
#
# This notebook writes a kernel for the BM1684X, runs it, checks it against numpy and looks at where its time goes. Every cell
# can be changed and run again.

# %%
import tempfile
from pathlib import Path

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

# %% [markdown]
# ## Tune
#
# A longer line is worked on in tiles: while the divisions of one are under way, the next one is loaded and the last one is stored.
# How large should a tile be? Small ones start many commands, and where one is the whole line, the engines work in turn.

# %%
tiled = r"""
#include "tpu_kernel.h"

typedef struct {
  unsigned long long output, input;
  int channels, columns;
  float factor;
} invert_args;

void invert(const void* args) {
  const invert_args* a = (const invert_args*)args;
  const dim4 rows = {.n = 1, .c = a->columns, .h = 1, .w = 1};  // stride of a tile in device memory
  const int tiles = (a->columns + TILE - 1) / TILE;
  tpu_initialize();
  for (int step = 0; step < tiles + 2; ++step) {
    tpu_parallel_start();
    for (int stage = 0; stage < 3; ++stage) {
      const int tile = step - stage;
      if (tile < 0 || tile >= tiles) continue;
      const unsigned long long begin = 4ULL * tile * TILE;
      const int left = a->columns - tile * TILE;
      const dim4 shape = {.n = 1, .c = a->channels, .h = 1, .w = left < TILE ? left : TILE};
      const local_addr_t x = tile % 2 * 65536, y = 131072 + x;
      if (stage == 0) tpu_gdma_cpy_S2L(x, a->input + begin, &shape, NULL, &rows, DT_FP32);
      if (stage == 1) tpu_bdc_fp32_C_div(y, x, a->factor, &shape, NULL, NULL);
      if (stage == 2) tpu_gdma_cpy_L2S(a->output + begin, y, &shape, &rows, NULL, DT_FP32);
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(invert)
"""
file = Path(tempfile.mkdtemp()) / "tiled.c"
file.write_text(tiled)
line = np.random.default_rng(0).uniform(1, 2, (64, 8192)).astype(np.float32)
arguments = {"output": tensorlane.Output(line.shape), "input": line, "channels": 64, "columns": 8192, "factor": 0.5}
found = tensorlane.tune(file, "bm1684x", "invert", arguments, macros={"TILE": [128, 256, 512, 1024, 2048, 4096, 8192]},
                        reference=lambda args: 0.5 / args["input"])
print(found)

# %% [markdown]
# Each dot is a tile size: its time over the local memory it takes.

# %%
found
