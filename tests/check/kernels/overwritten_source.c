// The processor fills the next row while the copy of this one may not have read it yet.
// expect TL-SYNC-006 write store
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  dim4 all = {1, 64, 16, 16}, row = {1, 1, 1, 256};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(1024, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);
  okk_poll();
  volatile float* const buffer = (volatile float*)okk_local_mem_addr(0, 0);
  for (int i = 0; i < 256; ++i) buffer[i] = 1.0f;
  okk_gdma_32bit_cpy_L2S(a->output, 0, &row, 0, 0);  // @store
  for (int i = 0; i < 256; ++i) buffer[i] = 2.0f;    // @write
  okk_gdma_32bit_cpy_L2S(a->output + 1024, 0, &row, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
