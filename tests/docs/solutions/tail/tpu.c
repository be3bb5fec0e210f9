#include "args.h"
#include "tpu_kernel.h"

// output = input + 1 for p->w elements: a part that fills all NPUs, and a tail.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  const int npus = tpu_npu_num(), whole = p->w / npus * npus, rest = p->w - whole;
  const dim4 part = {.n = 1, .c = npus, .h = 1, .w = whole / npus},
             tail = {.n = 1, .c = rest, .h = 1, .w = 1};

  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->input_addr, &part, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(0, 0, (scalar_t){.f32 = 1.0f}, &part, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->output_addr, 0, &part, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0, p->input_addr + 4 * whole, &tail, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(0, 0, (scalar_t){.f32 = 1.0f}, &tail, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->output_addr + 4 * whole, 0, &tail, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(exercise)
