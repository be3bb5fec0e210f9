// A module of the corpus: loaded and unloaded while its hosts run (tpukernel/modules.c).
#include "corpus.h"

// A page from `in` to `out`, times n.
void scale_page(const void* args) {
  const args_t* a = args;
  const dim4 page = {1, 64, 1, 16};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->in, &page, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(1024, 0, (scalar_t){.f32 = (float)a->n}, &page, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 1024, &page, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(scale_page)

// The same without the first copy.
void scale_nothing(const void* args) {
  const args_t* a = args;
  const dim4 page = {1, 64, 1, 16};
  tpu_initialize();
  tpu_bdc_fp_mul_C(1024, 0, (scalar_t){.f32 = (float)a->n}, &page, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 1024, &page, NULL, NULL, DT_FP32);
  tpu_poll();
}
KERNEL(scale_nothing)
