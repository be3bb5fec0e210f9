// Doubles a matrix in tiles of columns. With a defect: columns behind the last whole tile are
// forgotten.
#include "tpu_kernel.h"

#ifndef BUFFERS
#define BUFFERS 1
#endif
#if BUFFERS < 1
#error "a kernel without buffers"
#endif

typedef struct {
  unsigned long long output, input;  // fp32, 64 x cols
  int cols, tile;
} tiles_args;

void tiles(const void* args) {
  const tiles_args* p = (const tiles_args*)args;
  TPUKERNEL_ASSERT(p->tile <= BANK_SIZE / 4);
  const dim4 shape = {.n = 1, .c = 64, .h = 1, .w = p->tile};
  const dim4 stride = {.n = 1, .c = p->cols, .h = p->cols, .w = 1};
  const scalar_t two = {.f32 = 2};
  tpu_initialize();
  for (int i = 0; (i + 1) * p->tile <= p->cols; ++i) {
    const local_addr_t buffer = i % BUFFERS * BANK_SIZE;
    const unsigned long long at = 4ull * i * p->tile;
    tpu_gdma_cpy_S2L(buffer, p->input + at, &shape, NULL, &stride, DT_FP32);
    tpu_bdc_fp_mul_C(buffer, buffer, two, &shape, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + at, buffer, &shape, &stride, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(tiles)
