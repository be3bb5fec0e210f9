// An extent has 16 bits.
// expect TL-ARGS-001 call
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 many = {1, 65536, 1, 1};
  tpu_gdma_cpy_S2L(0, a->input, &many, NULL, NULL, DT_INT8);  // @call
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
