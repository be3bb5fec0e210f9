// Copy and computation take every second row each: no byte is shared.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 8, 32}, row = {1, 64, 8, 16};
  dim4 step = {0, 0, 32, 1};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(0, a->input, &row, &step, 0);
  okk_bdc_add_C(64, 64, 1.0f, &row, &step, &step);
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
