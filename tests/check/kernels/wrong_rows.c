// 12 of 16 rows are loaded, 16 are summed up.
// expect TL-INIT-001 pool load | local memory NPUs 0..63 offsets 768..1023
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16}, part = {1, 64, 12, 16}, full = {1, 64, 16, 16};
  dim2 step = {15, 15};
  Padding none = {0, 0, 0, 0};
  okk_gdma_32bit_cpy_S2L(4096, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 4096, &all, 0, 0);
  okk_gdma_32bit_cpy_S2L(0, a->input, &part, 0, 0);          // @load
  okk_bdc_avg_pool2d(8192, 0, &full, 16, 16, &none, &step);  // @pool
  dim4 one = {1, 64, 1, 1};
  okk_gdma_32bit_cpy_L2S(a->output, 8192, &one, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
