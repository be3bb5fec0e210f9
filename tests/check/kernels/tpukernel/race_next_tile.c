// The next tile is loaded into the buffer that is being computed on.
// expect TL-RACE-001 reader writer | local memory NPUs 0..63 offsets 0..511
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP16);
  tpu_parallel_start();
  tpu_gdma_cpy_S2L(0, a->input + 32768, &all, NULL, NULL, DT_FP16);             // @writer
  tpu_bdc_cast(16384, 0, &all, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);  // @reader
  tpu_parallel_end();
  tpu_gdma_cpy_L2S(a->output, 16384, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 0, &all, NULL, NULL, DT_FP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
