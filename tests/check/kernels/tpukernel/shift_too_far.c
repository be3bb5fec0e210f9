// 40 places of 32 bits.
// expect TL-ARGS-009 call
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_INT32);
  tpu_bdc_set_C(1024, (scalar_t){.s8 = 40}, &all, NULL, DT_INT8);
  tpu_bdc_arithmetic_shift(  // @call
      2048, 0, 1024, &all, NULL, NULL, NULL, DT_INT32, DT_INT32, DT_INT8, RM_HALF_UP);
  tpu_gdma_cpy_L2S(a->output, 2048, &all, NULL, NULL, DT_INT32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
