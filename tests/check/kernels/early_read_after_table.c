// A large table by a scalar loop, more accesses than are followed; then a read that is too early.
// expect TL-SYNC-006 read load
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  dim4 all = {1, 64, 16, 16};
  okk_initialize();
  volatile int* const table = (volatile int*)okk_l2_sram_addr(okk_l2_sram_start_addr());
  for (int i = 0; i < 16384; ++i) table[i] = i;
  volatile float* const tile = (volatile float*)okk_local_mem_addr(5, 0);
  for (int i = 0; i < 256; ++i) tile[i] = 0.0f;
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);  // @load
  const float first = tile[7];                      // @read
  okk_poll();
  okk_bdc_add_C(0, 0, first, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
