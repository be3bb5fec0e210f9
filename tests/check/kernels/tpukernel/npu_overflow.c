// A second row of channels lies behind the 256 KB of an NPU.
// expect TL-MEMORY-001 call
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 tall = {1, 128, 16, 16};
  tpu_gdma_cpy_S2L(LOCAL_MEM_SIZE - 1024, a->input, &tall, NULL, NULL, DT_FP32);  // @call
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
