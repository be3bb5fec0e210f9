// The result is set to zero while the processor looks at what the sorter, which it waited for,
// wrote elsewhere. In the region copies go on beside the sorter and take its result after the wait.
//
// expect nothing
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16}, few = {1, 1, 1, 100};
  const scalar_t zero = {.u32 = 0};
  tpu_gdma_set_C_system(a->output, zero, &all, NULL, DT_FP32);
  tpu_hau_sort(a->input + 8192, a->input, 1000, 100, true, DT_FP32);
  tpu_hau_poll();
  tpu_invalidate_cache(a->input + 8192, 64);
  const scalar_t largest = {.f32 = *(const float*)tpu_global_mem_addr(a->input + 8192)};
  tpu_parallel_start();
  tpu_hau_sort(a->output + 16384, a->input + 16384, 1000, 100, false, DT_FP32);
  tpu_gdma_set_C_system(a->output, largest, &few, NULL, DT_FP32);
  tpu_hau_poll();
  tpu_gdma_cpy_S2S(a->output + 32768, a->output + 16384, &few, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
