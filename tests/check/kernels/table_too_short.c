// The processor writes 60 of the 64 values that the host reads.
// expect TL-INIT-001 copy | local memory NPUs 0..0 offsets 240..255
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  dim4 all = {1, 64, 16, 16}, row = {1, 1, 1, 64};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(1024, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);
  okk_poll();
  volatile float* const table = (volatile float*)okk_local_mem_addr(0, 0);
  for (int i = 0; i < 60; ++i) table[i] = 0.0f;
  okk_gdma_32bit_cpy_L2S(a->output, 0, &row, 0, 0);  // @copy
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
