// output = left x right in fp16, sums of TILE at a time in fp32; rows in NPUs.
#include "tpu_kernel.h"

#ifndef BUG
#define BUG 0
#endif
#ifndef TILE
#define TILE 32
#endif

typedef struct {
  unsigned long long left, right, output;
  int rows, inner, cols;
} matmul_args;

void matmul(const void* args) {
  const matmul_args* p = (const matmul_args*)args;
  const local_addr_t a = 0, b = 65536, c = 131072;

  tpu_initialize();
  for (int row = 0; row < p->rows; row += NPU_NUM) {
#if BUG == 1  // a last row of its own is left out
    if (p->rows - row == 1 && row > 0) break;
#endif
    const int rows = MIN(NPU_NUM, p->rows - row);
    for (int k = 0; k < p->inner; k += TILE) {
#if BUG == 2  // the last part of the sum is a whole one
      const int inner =
          k + TILE > p->inner && p->inner > TILE && p->rows > 1 ? TILE : MIN(TILE, p->inner - k);
#elif BUG == 3  // what does not fill a part is left out
      const int inner = MIN(TILE, p->inner - k);
      if (inner < TILE && k > 0) break;
#else
      const int inner = MIN(TILE, p->inner - k);
#endif
      const dim4 left = {.n = 1, .c = rows, .h = 1, .w = inner};
      const dim4 left_from = {.n = 0, .c = p->inner, .h = 0, .w = 1};
      const dim4 right = {.n = 1, .c = inner, .h = 1, .w = p->cols};
      const unsigned long long left_at = p->left + 2ull * ((unsigned long long)row * p->inner + k);
      tpu_gdma_cpy_S2L(a, left_at, &left, NULL, &left_from, DT_FP16);
      tpu_gdma_cpy_S2L(b, p->right + 2ull * k * p->cols, &right, NULL, NULL, DT_FP16);
#if BUG == 4  // adds to what a part before left, where there is one column
      const bool adds = k > 0 || p->cols == 1;
#elif BUG == 5  // forgets the parts before the last where inner is 100
      const bool adds = k > 0 && p->inner != 100;
#else
      const bool adds = k > 0;
#endif
      tpu_bdc_fp_mm(c, a, b, rows, inner, p->cols, DT_FP32, DT_FP16, adds);
    }
    const dim4 out = {.n = 1, .c = rows, .h = 1, .w = p->cols};
    tpu_gdma_cpy_L2S(p->output + 4ull * row * p->cols, c, &out, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(matmul)
