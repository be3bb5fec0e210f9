// The processor looks at what the sorter wrote, after waiting for the sorter.
// expect nothing
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 0, &all, NULL, NULL, DT_FP32);
  tpu_poll();
  tpu_hau_sort(a->output, a->input, 1000, 100, true, DT_FP32);
  tpu_hau_poll();
  tpu_invalidate_cache(a->output, 400);
  const scalar_t largest = {.f32 = *(const float*)tpu_global_mem_addr(a->output)};
  tpu_bdc_fp_sub_C(0, 0, largest, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 0, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
