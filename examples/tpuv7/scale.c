// output = factor * input, on as many cores as the host asks for. Core k takes blocks k, k + n,
// ..., so that any number of cores gives the same result; the last block may be short.
#include "scale.h"
#include "tpu_kernel.h"

enum { kBlock = 4096 };

void scale(const void* args) {
  const scale_args_t* a = args;
  tpu_initialize();
  const scalar_t factor = {.f32 = a->factor};
  for (int block = tpu_workitem_index(); block * kBlock < a->count; block += tpu_workitem_num()) {
    const int begin = block * kBlock, count = MIN(kBlock, a->count - begin);
    const int columns = DIV_UP(count, tpu_npu_num());
    const dim4 shape = {1, DIV_UP(count, columns), 1, columns};
    const unsigned long long bytes = (unsigned long long)begin * 4;
    tpu_gdma_matrix_S2L(0, a->input + bytes, 1, count, columns, count, DT_FP32);
    tpu_bdc_fp_mul_C(0, 0, factor, &shape, NULL, NULL, DT_FP32);
    tpu_gdma_matrix_L2S(a->output + bytes, 0, 1, count, columns, count, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(scale)
