#include "args.h"
#include "tpu_kernel.h"

// output = input + 1. The numbers are right; the clock knows what is slow.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  // Part i of p->n: as many channels as there are NPUs, p->w elements each.
  const dim4 shape = {.n = 1, .c = tpu_npu_num(), .h = 1, .w = p->w};
  const unsigned long long bytes = 4ull * shape.c * shape.w;

  tpu_initialize();
  for (int i = 0; i < p->n; ++i) {
    tpu_gdma_cpy_S2L(0, p->input_addr + i * bytes, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_add_C(0, 0, (scalar_t){.f32 = 1.0f}, &shape, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output_addr + i * bytes, 0, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(exercise)
