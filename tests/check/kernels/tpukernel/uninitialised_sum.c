// The product is added to sums that nobody set.
// expect TL-INIT-001 product | local memory NPUs 0..63 offsets 8192..8447
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16}, left = {1, 64, 1, 64}, sums = {1, 64, 1, 64};
  const scalar_t zero = {.s8 = 0};
  tpu_gdma_cpy_S2L(0, a->input, &left, NULL, NULL, DT_INT8);
  tpu_gdma_cpy_S2L(4096, a->input, &left, NULL, NULL, DT_INT8);
  tpu_gdma_cpy_S2L(16384, a->input, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 16384, &all, NULL, NULL, DT_FP32);
  tpu_bdc_int8_zp_mm(8192, 0, 4096, zero, 64, 64, 64, DT_INT8, DT_INT8, true);  // @product
  tpu_gdma_cpy_L2S(a->output, 8192, &sums, NULL, NULL, DT_INT32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
