// output[r] = sum of input[r, :], a row in each NPU, columns in parts of TILE.
#include "tpu_kernel.h"

#ifndef BUG
#define BUG 0
#endif
#ifndef TILE
#define TILE 512
#endif

typedef struct {
  unsigned long long input, output;
  int rows, cols;
} sum_args;

void row_sum(const void* args) {
  const sum_args* p = (const sum_args*)args;
  const local_addr_t x = 0, part = 65536, total = 131072;
  const padding_t none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1};
  const scalar_t unit = {.f32 = 1.0f}, zero = {.f32 = 0.0f};

  tpu_initialize();
  for (int row = 0; row < p->rows; row += NPU_NUM) {
#if BUG == 1  // as many rows as NPUs, also at the end
    const int c = p->rows < NPU_NUM ? p->rows : NPU_NUM;
#else
    const int c = MIN(NPU_NUM, p->rows - row);
#endif
    const dim4 single = {.n = 1, .c = c, .h = 1, .w = 1};
#if BUG == 2  // nothing to add to
    if (p->cols < 2 * TILE)
#endif
      tpu_bdc_set_C(total, zero, &single, NULL, DT_FP32);
#if BUG == 3  // a last part of one column is left out
    for (int col = 0; col < p->cols - (p->cols > TILE); col += TILE) {
#else
    for (int col = 0; col < p->cols; col += TILE) {
#endif
      const int w = MIN(TILE, p->cols - col);
      const dim4 shape = {.n = 1, .c = c, .h = 1, .w = w};
#if BUG == 4  // rows as far apart as the part is wide
      const dim4 from = {.n = 0, .c = p->cols > TILE ? TILE : p->cols, .h = 0, .w = 1};
#else
      const dim4 from = {.n = 0, .c = p->cols, .h = 0, .w = 1};
#endif
      const dim2 window = {.h = 1, .w = w};
      const unsigned long long at = 4ull * ((unsigned long long)row * p->cols + col);
      tpu_gdma_cpy_S2L(x, p->input + at, &shape, NULL, &from, DT_FP32);
      tpu_bdc_fp_avg_pool2d(part, x, &shape, &window, &none, &one, &one, DT_FP32, unit);
      tpu_bdc_fp_add(total, total, part, &single, NULL, NULL, NULL, DT_FP32);
    }
#if BUG == 5  // all but the last rows are stored at the front
    const unsigned long long to = row + NPU_NUM < p->rows && row > 0 ? 0 : 4ull * row;
#elif BUG == 6  // stored once too few at 100 rows
    const unsigned long long to = 4ull * (p->rows == 100 && row > 0 ? row - 1 : row);
#else
  const unsigned long long to = 4ull * row;
#endif
    tpu_gdma_cpy_L2S(p->output + to, total, &single, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(row_sum)
