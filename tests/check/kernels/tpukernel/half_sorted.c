// The host reads more than the 100 largest that are written.
// expect TL-COVERAGE-001 sort | global memory bytes +400..+65535
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_hau_sort(a->output, a->input, 1000, 100, true, DT_FP32);  // @sort
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
