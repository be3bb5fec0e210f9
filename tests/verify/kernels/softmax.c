// softmax of each row of a matrix.
#include "tpu_kernel.h"

#ifndef BUG
#define BUG 0
#endif

typedef struct {
  unsigned long long input, output;
  int rows, cols;
} softmax_args;

void softmax(const void* args) {
  const softmax_args* p = (const softmax_args*)args;
  const local_addr_t x = 0, y = 32768, work0 = 65536, work1 = 98304, most = 131072, total = 131136;
  const local_addr_t coeff = 163840, table = 196608;
  const padding_t none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1}, window = {.h = 1, .w = p->cols};
  const scalar_t unit = {.f32 = 1.0f};

  tpu_initialize();
  tpu_bdc_load_fp32_exp_coeff(coeff);
  tpu_bdc_load_fp32_exp_table(table);
  for (int row = 0; row < p->rows; row += NPU_NUM) {
    const int c = MIN(NPU_NUM, p->rows - row);
    const dim4 shape = {.n = 1, .c = c, .h = 1, .w = p->cols},
               single = {.n = 1, .c = c, .h = 1, .w = 1};
    dim4 spread;
    tpu_aligned_stride(&spread, 0, &single, DT_FP32);
    spread.h = spread.w = 0;
    const unsigned long long at = 4ull * row * p->cols;
    tpu_gdma_cpy_S2L(x, p->input + at, &shape, NULL, NULL, DT_FP32);
#if BUG == 1  // the largest of all but the last column
    const dim2 first = {.h = 1, .w = p->cols > 3 ? p->cols - 1 : p->cols};
    tpu_bdc_fp_max_pool2d(most, x, &shape, &first, &none, &one, &one, DT_FP32, unit);
#else
    tpu_bdc_fp_max_pool2d(most, x, &shape, &window, &none, &one, &one, DT_FP32, unit);
#endif
#if BUG == 2  // the largest is not taken off single rows
    if (c > 1)
#endif
      tpu_bdc_fp_sub(x, x, most, &shape, NULL, NULL, &spread, DT_FP32);
    tpu_bdc_fp32_exp(y, x, work0, work1, coeff, table, &shape);
    tpu_bdc_fp_avg_pool2d(total, y, &shape, &window, &none, &one, &one, DT_FP32, unit);
    tpu_bdc_fp_div(y, y, total, &shape, NULL, NULL, &spread, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + at, y, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(softmax)
