// Each core multiplies its tiles of 1024 numbers by 3, where 2 is meant, and adds 1; they take
// turns in the middle.
#include "tpu_kernel.h"

typedef struct {
  unsigned long long input, out;
  int tiles;
} tiles_args;

void tiles(const void* args) {
  const tiles_args* a = (const tiles_args*)args;
  const dim4 shape = {1, 64, 1, 16};
  const scalar_t factor = {.f32 = 3}, one = {.f32 = 1};
  tpu_initialize();
  for (int k = 0; k < a->tiles; ++k) {
    const unsigned long long at = (tpu_core_index() * a->tiles + k) * 4096ull;
    tpu_gdma_cpy_S2L(0, a->input + at, &shape, NULL, NULL, DT_FP32);
    tpu_sync_all();
    tpu_bdc_fp_mul_C(4096, 0, factor, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_add_C(4096, 4096, one, &shape, NULL, NULL, DT_FP32);
    tpu_sync_all();
    tpu_gdma_cpy_L2S(a->out + at, 4096, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(tiles)
