// hswish in place is c * c / 6; relu in place is relu.
// expect TL-ARGS-012 call
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_bdc_relu(0, 0, &all, NULL, NULL, DT_FP32);
  tpu_bdc_fp_hswish(0, 0, 1024, &all, DT_FP32);  // @call
  tpu_gdma_cpy_L2S(a->output, 0, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
