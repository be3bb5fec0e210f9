// The result of this step is stored while it is computed.
// expect TL-RACE-002 reader writer | local memory NPUs 0..63 offsets 1024..2047
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_parallel_start();
  okk_bdc_add_C(1024, 0, 1.0f, &all, 0, 0);             // @writer
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);  // @reader
  okk_parallel_end();
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
