// A type that the function does not know, by its name.
// expect TL-ARGS-001 call
// message DT_INT8
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  (void)args;
  const dim4 all = {1, 64, 16, 16};
  tpu_initialize();
  tpu_bdc_fp_add(4096, 0, 0, &all, NULL, NULL, NULL, DT_INT8);  // @call
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
