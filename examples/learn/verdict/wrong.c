#include "tpu_kernel.h"

#ifndef TILE
#define TILE 16  // tokens at a time
#endif

// input, output: heads x tokens x dim floats; cosine, sine: tokens x dim / 2.
typedef struct {
  unsigned long long input, cosine, sine, output;
  int heads, tokens, dim;
} rope_args;

// Every row's halves (a, b) become (a * cosine - b * sine, b * cosine + a * sine). A head lies in
// an NPU; tokens pass through local memory TILE at a time.
void rope(const void* args) {
  const rope_args* p = (const rope_args*)args;
  const int half = p->dim / 2, bank = tpu_local_mem_size_per_npu() / 8;
  const local_addr_t x = 0, y = 2 * bank, cosine = 4 * bank, sine = 5 * bank, product = 6 * bank;

  tpu_initialize();
  for (int head = 0; head < p->heads; head += NPU_NUM) {
    for (int token = 0; token < p->tokens; token += TILE) {
      const int c = MIN(NPU_NUM, p->heads - head), h = MIN(TILE, p->tokens - token);
      const dim4 whole = {1, c, h, p->dim}, part = {1, c, h, half};
      const dim4 outside = {.n = 0, .c = p->tokens * p->dim, .h = p->dim, .w = 1};
      const dim4 same = {.n = 0, .c = 0, .h = half, .w = 1};  // one table for all heads
      dim4 row, table;  // strides of a whole tensor, and of half a one
      tpu_aligned_stride(&row, 0, &whole, DT_FP32);
      tpu_aligned_stride(&table, 0, &part, DT_FP32);
      const unsigned long long at = 4ull * ((unsigned long long)head * p->tokens + token) * p->dim;
      const unsigned long long angle = 4ull * token * half;
      const local_addr_t xb = x + half * sizeof(float), yb = y + half * sizeof(float);

      tpu_gdma_cpy_S2L(x, p->input + at, &whole, NULL, &outside, DT_FP32);
      if (head == 0) {  // all heads share them
        tpu_gdma_cpy_S2L(cosine, p->cosine + angle, &part, NULL, &same, DT_FP32);
        tpu_gdma_cpy_S2L(sine, p->sine + angle, &part, NULL, &same, DT_FP32);
      }
      tpu_bdc_fp_mul(y, x, cosine, &part, &row, &row, &table, DT_FP32);
      tpu_bdc_fp_mul(product, xb, sine, &part, &table, &row, &table, DT_FP32);
      tpu_bdc_fp_sub(y, y, product, &part, &row, &row, &table, DT_FP32);
      tpu_bdc_fp_mul(yb, xb, cosine, &part, &row, &row, &table, DT_FP32);
      tpu_bdc_fp_mul(product, x, sine, &part, &table, &row, &table, DT_FP32);
      tpu_bdc_fp_add(yb, yb, product, &part, &row, &row, &table, DT_FP32);
      tpu_gdma_cpy_L2S(p->output + at, y, &whole, &outside, NULL, DT_FP32);
    }
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(rope)
