// The processor fills the next row while the copy of this one may not have read it yet.
// expect TL-SYNC-006 write store
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 16, 16}, row = {1, 1, 1, 256};
  tpu_initialize();
  tpu_gdma_cpy_S2L(1024, a->input, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 1024, &all, NULL, NULL, DT_FP32);
  tpu_poll();
  volatile float* const buffer = (volatile float*)tpu_local_mem_addr(0, 0);
  for (int i = 0; i < 256; ++i) buffer[i] = 1.0f;
  tpu_gdma_cpy_L2S(a->output, 0, &row, NULL, NULL, DT_FP32);  // @store
  for (int i = 0; i < 256; ++i) buffer[i] = 2.0f;             // @write
  tpu_gdma_cpy_L2S(a->output + 1024, 0, &row, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
