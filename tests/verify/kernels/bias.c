// output = input + bias of each column, 64 rows at a time.
#include "tpu_kernel.h"

#ifndef BUG
#define BUG 0
#endif

typedef struct {
  unsigned long long input, bias, output;
  int rows, cols;
} bias_args;

void bias(const void* args) {
  const bias_args* p = (const bias_args*)args;
  const local_addr_t x = 0, y = 65536, z = 131072;
  const dim4 spread = {.n = 0, .c = 0, .h = 0, .w = 1};

  tpu_initialize();
  for (int row = 0; row < p->rows; row += NPU_NUM) {
    const int c = MIN(NPU_NUM, p->rows - row);
    const dim4 shape = {.n = 1, .c = c, .h = 1, .w = p->cols};
    const unsigned long long at = 4ull * row * p->cols;
#if BUG == 1  // loaded for the rows of the first turn alone, if they are few
    const dim4 rows = {.n = 1, .c = row == 0 ? MIN(c, 60) : 1, .h = 1, .w = p->cols};
#else
    const dim4 rows = shape;
#endif
#if BUG == 2  // loaded once, and overwritten by the second turn
    if (row == 0)
#endif
      tpu_gdma_cpy_S2L(y, p->bias, &rows, NULL, &spread, DT_FP32);
    tpu_gdma_cpy_S2L(x, p->input + at, &shape, NULL, NULL, DT_FP32);
#if BUG == 2
    tpu_bdc_fp_add(row == 0 ? z : y, x, y, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + at, row == 0 ? z : y, &shape, NULL, NULL, DT_FP32);
#elif BUG == 3  // odd columns of more than 33 are added twice
    tpu_bdc_fp_add(z, x, y, &shape, NULL, NULL, NULL, DT_FP32);
    if (p->cols > 33 && p->cols % 2) tpu_bdc_fp_add(z, z, y, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + at, z, &shape, NULL, NULL, DT_FP32);
#elif BUG == 4  // the result and the bias share bytes from a width on
    const local_addr_t out = y + 32768;
    tpu_bdc_fp_add(out, x, y, &shape, NULL, NULL, NULL, DT_FP32);
    if (p->cols > 8192) tpu_bdc_fp_add(out, x, y, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + at, out, &shape, NULL, NULL, DT_FP32);
#elif BUG == 5  // one row less from 129 rows on
    const dim4 stored = {
        .n = 1, .c = p->rows > 128 && c < NPU_NUM ? c - 1 : c, .h = 1, .w = p->cols};
    tpu_bdc_fp_add(z, x, y, &shape, NULL, NULL, NULL, DT_FP32);
    if (stored.c > 0) tpu_gdma_cpy_L2S(p->output + at, z, &stored, NULL, NULL, DT_FP32);
#else
    tpu_bdc_fp_add(z, x, y, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + at, z, &shape, NULL, NULL, DT_FP32);
#endif
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(bias)
