// The pointer is taken before the copy is issued, and read after the poll; another tile's copy
// is in flight beside the bytes that the processor looks at.
//
// expect nothing
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 16, 16};
  tpu_initialize();
  volatile float* const tile = (volatile float*)tpu_local_mem_addr(0, 0);
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_poll();
  tpu_gdma_cpy_S2L(1024, a->input, &all, NULL, NULL, DT_FP32);
  const scalar_t last = {.f32 = tile[255]};
  tile[0] = last.f32;
  tpu_poll();
  tpu_bdc_fp_add_C(1024, 0, last, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 1024, &all, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
