// The processor takes its factor from behind the row that was loaded.
// expect TL-INIT-005 read | local memory NPUs 0..0 offsets 1024..1027
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 16, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_poll();
  const float* const row = (const float*)tpu_local_mem_addr(0, 0);
  const scalar_t factor = {.f32 = row[256]};  // @read
  tpu_bdc_fp_mul_C(0, 0, factor, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 0, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
