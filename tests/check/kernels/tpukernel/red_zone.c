// Elements of 16 bits, stored one element too far.
// expect TL-MEMORY-002 writer | global memory bytes +65536..+65537
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 32};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_L2S(a->output, 0, &all, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_L2S(a->output + 2, 0, &all, NULL, NULL, DT_FP16);  // @writer
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
