// output = a + b over n numbers, 64 rows of TILE at a time, then whole rows, then the rest.
#include "tpu_kernel.h"

#ifndef BUG
#define BUG 0
#endif
#ifndef TILE
#define TILE 32
#endif

typedef struct {
  unsigned long long a, b, output;
  int n;
} add_args;

static void part(const add_args* p, int first, int c, int w) {
  if (c == 0 || w == 0) return;
#if BUG == 1  // the offset does not fit 16 bits
  const unsigned long long at = 4ull * (unsigned short)first;
#else
  const unsigned long long at = 4ull * first;
#endif
  const dim4 shape = {.n = 1, .c = c, .h = 1, .w = w};
  const local_addr_t x = 0, y = 16384, z = 32768;
  tpu_gdma_cpy_S2L(x, p->a + at, &shape, NULL, NULL, DT_FP32);
#if BUG == 2  // the second operand of one row is taken for the first
  if (c == 1 && w == 1)
    tpu_bdc_fp_add(z, x, x, &shape, NULL, NULL, NULL, DT_FP32);
  else
#endif
  {
    tpu_gdma_cpy_S2L(y, p->b + at, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_add(z, x, y, &shape, NULL, NULL, NULL, DT_FP32);
  }
  tpu_gdma_cpy_L2S(p->output + at, z, &shape, NULL, NULL, DT_FP32);
}

void add(const void* args) {
  const add_args* p = (const add_args*)args;
  int first = 0;
  tpu_initialize();
#if BUG == 3  // everything at once: local memory ends
  part(p, 0, NPU_NUM, p->n / NPU_NUM);
  part(p, p->n / NPU_NUM * NPU_NUM, 1, p->n % NPU_NUM);
#else
  for (; p->n - first >= NPU_NUM * TILE; first += NPU_NUM * TILE) part(p, first, NPU_NUM, TILE);
  const int rows = (p->n - first) / TILE;
  part(p, first, rows, TILE);
  first += rows * TILE;
#if BUG == 4    // the rest is forgotten where it is one number
  if (p->n - first != 1) part(p, first, 1, p->n - first);
#elif BUG == 5  // the rest is a whole row
  if (first < p->n) part(p, first, 1, TILE);
#elif BUG == 6  // the rest begins one number late
  if (p->n - first > 1 && p->n > 2 * TILE)
    part(p, first + 1, 1, p->n - first - 1);
  else
    part(p, first, 1, p->n - first);
#elif BUG == 7  // one size alone
  part(p, first - (p->n == 137), 1, p->n - first);
#else
  part(p, first, 1, p->n - first);
#endif
#endif
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(add)
