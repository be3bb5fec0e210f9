// Waits inside a region, which is refused.
// expect TL-SYNC-003 poll start
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16};
  okk_parallel_start();  // @start
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_poll();  // @poll
  okk_parallel_end();
}
OKKERNEL_FUNC_REGISTER(kernel)
