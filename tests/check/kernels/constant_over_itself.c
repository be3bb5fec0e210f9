// A constant with strides of 0: every element lies in one place, and every write of it is the same.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  const dim4 many = {2, 64, 16, 16}, all = {1, 64, 16, 16}, nowhere = {0, 0, 0, 0};
  okk_gdma_32bit_cpy_S2L(4096, a->input, &all, 0, 0);
  okk_bdc_32bit_set_C(0, (x32){.fp32 = 0.5f}, &many, &nowhere);
  okk_bdc_add(4096, 4096, 0, &all, 0, 0, &nowhere);
  okk_gdma_32bit_cpy_L2S(a->output, 4096, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
