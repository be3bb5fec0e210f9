// The sorter is not waited for.
// expect TL-SYNC-005 sort
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16};
  tpu_gdma_cpy_S2S(a->output, a->input, &all, NULL, NULL, DT_FP32);
  tpu_poll();
  tpu_hau_sort(a->output, a->input, 1000, 100, true, DT_FP32);  // @sort
}
TPUKERNEL_FUNC_REGISTER(kernel)
