// The alignment gap of each channel travels through a flat copy, but no result depends on it.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 odd = {1, 64, 3, 11}, flat = {1, 64, 1, 64}, all = {1, 64, 16, 16};
  okk_gdma_32bit_cpy_S2L(4096, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 4096, &all, 0, 0);
  okk_gdma_32bit_cpy_S2L(0, a->input, &odd, 0, 0);
  okk_bdc_add_C(1024, 0, 1.0f, &flat, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &odd, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
