// 8 of 16 rows are loaded as fp16; cast and pooling carry the gap on to the host.
// expect TL-INIT-001 cast load | local memory NPUs 0..63 offsets 256..511
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16}, part = {1, 64, 8, 16}, one = {1, 64, 1, 1};
  const dim2 window = {16, 16}, step = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t unit = {.f32 = 1};
  tpu_gdma_cpy_S2L(8192, a->input, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 8192, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->input, &part, NULL, NULL, DT_FP16);                   // @load
  tpu_bdc_cast(1024, 0, &all, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);  // @cast
  tpu_bdc_fp_avg_pool2d(4096, 1024, &all, &window, &none, &step, &step, DT_FP32, unit);
  tpu_gdma_cpy_L2S(a->output, 4096, &one, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
