// Copy and computation share an NPU and a bank, but no byte: rows of channels of different types.
// expect nothing
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16}, few = {1, 64, 8, 16};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_gdma_cpy_S2L(1024, a->input, &few, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mul(0, 0, 0, &all, NULL, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_gdma_cpy_L2S(a->output, 0, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 1024, &few, NULL, NULL, DT_FP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
