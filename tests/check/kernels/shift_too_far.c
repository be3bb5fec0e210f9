// 40 places of 32 bits.
// expect TL-ARGS-009 call
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16};
  x32 places = {.s32 = 40};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_bdc_32bit_set_C(1024, places, &all, 0);
  okk_bdc_32bit_logical_shift(0, 0, 1024, &all, 0, 0, 0);  // @call
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
