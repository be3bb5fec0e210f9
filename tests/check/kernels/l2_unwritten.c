// Half of the scratch tensor in L2 is written, all of it is read back.
// expect TL-INIT-001 load
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16}, half = {1, 32, 16, 16};
  const system_addr_t l2 = okk_l2_sram_start_addr();
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(l2, 0, &half, 0, 0);
  okk_gdma_32bit_cpy_S2L(1024, l2, &all, 0, 0);  // @load
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
