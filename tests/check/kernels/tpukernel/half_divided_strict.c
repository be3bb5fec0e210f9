// What the model of 2024 refuses is refused.
// run with --strict
// expect TL-ARGS-001 call
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 32};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP16);
  const scalar_t two = {.f16 = {.bits = 0x4000}};
  tpu_bdc_fp_div_C(1024, 0, two, &all, NULL, NULL, DT_FP16);  // @call
  tpu_gdma_cpy_L2S(a->output, 1024, &all, NULL, NULL, DT_FP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
