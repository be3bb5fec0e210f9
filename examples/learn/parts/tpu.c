#include "args.h"
#include "tpu_kernel.h"

// output = input + 1, of any size.
void plus_one(const void* args) {
  const args_t* a = (const args_t*)args;
  // The largest part of which two fit: cut N first, then H, then W.
  const int half = tpu_local_mem_size_per_npu() / 2;
  dim4 part = {.n = a->n, .c = a->c, .h = a->h, .w = a->w};
  while (tpu_get_local_size(&part, DT_FP32, 0, true) > half && part.n > 1) --part.n;
  while (tpu_get_local_size(&part, DT_FP32, 0, true) > half && part.h > 1) --part.h;
  while (tpu_get_local_size(&part, DT_FP32, 0, true) > half && part.w > 1) --part.w;
  TPUKERNEL_ASSERT(tpu_get_local_size(&part, DT_FP32, 0, true) <= half);
  const local_addr_t input = 0, output = half;
  // How far apart the elements of the whole lie: the same for each of its parts.
  const dim4 whole = {.n = a->c * a->h * a->w, .c = a->h * a->w, .h = a->w, .w = 1};
  const scalar_t one = {.f32 = 1.0f};

  tpu_initialize();
  for (int n = 0; n < a->n; n += part.n) {
    for (int h = 0; h < a->h; h += part.h) {
      for (int w = 0; w < a->w; w += part.w) {
        const dim4 shape = {.n = MIN(part.n, a->n - n),
                            .c = a->c,
                            .h = MIN(part.h, a->h - h),
                            .w = MIN(part.w, a->w - w)};
        const unsigned long long first =
            ((unsigned long long)n * whole.n + h * whole.h + w) * sizeof(float);
        tpu_gdma_cpy_S2L(input, a->input_addr + first, &shape, NULL, &whole, DT_FP32);
        tpu_bdc_fp_add_C(output, input, one, &shape, NULL, NULL, DT_FP32);
        tpu_gdma_cpy_L2S(a->output_addr + first, output, &shape, &whole, NULL, DT_FP32);
      }
    }
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(plus_one)
