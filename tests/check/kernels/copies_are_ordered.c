// Two copies of one region meet in global memory and in local memory: one engine keeps their order.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16};
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_gdma_32bit_cpy_S2L(1024, a->output, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);
  okk_parallel_end();
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
