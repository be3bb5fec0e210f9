// The input goes up to 6: 120 is beyond what exp documents. It is computed and stored all the same.
// expect TL-ARGS-009 call
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_bdc_mul_C(0, 0, 20.0f, &all, 0, 0);
  okk_bdc_exp(1024, 0, 2048, &all);  // @call
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
