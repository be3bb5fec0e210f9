// A column of maxima spreads over the rows by strides of 0; it was never computed.
// expect TL-INIT-001 difference | local memory NPUs 0..63 offsets 4096..4099
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16};
  const dim4 spread = {0, 0, 0, 0};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_bdc_fp_sub(1024, 0, 4096, &all, NULL, NULL, &spread, DT_FP32);  // @difference
  tpu_gdma_cpy_L2S(a->output, 1024, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
