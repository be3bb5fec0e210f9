// The coefficients of the exponential are not loaded.
// expect TL-INIT-001 call
// repair call tpu_bdc_load_fp32_exp_coeff
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 16, 16};
  tpu_initialize();
  tpu_bdc_load_fp32_exp_table(20480);
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_exp(32768, 0, 49152, 65536, 16384, 20480, &all);  // @call
  tpu_gdma_cpy_L2S(a->output, 32768, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
