#include "args.h"
#include "tpu_kernel.h"

// output = -input, for a tensor that is larger than local memory.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 shape = {.n = 1, .c = p->c, .h = p->h, .w = p->w};
  dim4 stride;
  tpu_aligned_stride(&stride, 0, &shape, DT_FP32);
  TPUKERNEL_ASSERT(shape.n * stride.n * 4 <= tpu_local_mem_size_per_npu());

  tpu_initialize();
  for (int n = 0; n < p->n; ++n) {
    const unsigned long long at = 4ull * n * p->c * p->h * p->w;
    tpu_gdma_cpy_S2L(0, p->input_addr + at, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_mul_C(0, 0, (scalar_t){.f32 = -1.0f}, &shape, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output_addr + at, 0, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(exercise)
