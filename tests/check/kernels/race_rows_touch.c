// The copy fills every second row of 16 floats, one float too wide: it reaches into the rows
// computed on.
//
// expect TL-RACE-001 reader writer | local memory NPUs 0..63 offsets 64..67
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 8, 32}, row = {1, 64, 8, 16}, wide = {1, 64, 8, 17};
  dim4 step = {0, 0, 32, 1};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(0, a->input, &wide, &step, 0);  // @writer
  okk_bdc_add_C(4096, 64, 1.0f, &row, &step, &step);     // @reader
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
