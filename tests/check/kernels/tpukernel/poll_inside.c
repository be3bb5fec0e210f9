// Waits inside a region, which is refused.
// expect TL-SYNC-003 poll start
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16};
  tpu_parallel_start();  // @start
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_poll();  // @poll
  tpu_parallel_end();
}
TPUKERNEL_FUNC_REGISTER(kernel)
