// The processor waits for the sorter and looks at what the copy brings.
// expect TL-SYNC-006 pointer copy
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16};
  tpu_hau_sort(a->input + 8192, a->input, 1000, 100, true, DT_FP32);
  tpu_gdma_cpy_S2S(a->output, a->input, &all, NULL, NULL, DT_FP32);  // @copy
  tpu_hau_poll();
  tpu_invalidate_cache(a->output, 64);
  const scalar_t largest = {.f32 = *(const float*)tpu_global_mem_addr(a->output)};  // @pointer
  tpu_gdma_set_C_system(a->output, largest, &all, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
