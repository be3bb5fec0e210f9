// output = 2 * input over parts of 64 x TILE numbers, loads and stores beside computation.
#include "tpu_kernel.h"

#ifndef BUG
#define BUG 0
#endif
#ifndef TILE
#define TILE 16
#endif

typedef struct {
  unsigned long long input, output;
  int n;
} double_args;

void twice(const void* args) {
  const double_args* p = (const double_args*)args;
  const local_addr_t in[2] = {0, 16384}, out[2] = {32768, 49152};
  const int rows = p->n / TILE, rest = p->n % TILE;
  const int parts = (rows + NPU_NUM - 1) / NPU_NUM;
  const scalar_t two = {.f32 = 2.0f};

  tpu_initialize();
  for (int step = 0; step < parts + 2; ++step) {
    const int load = step, now = step - 1, store = step - 2;
    tpu_parallel_start();
    if (load < parts) {
      const dim4 shape = {.n = 1, .c = MIN(NPU_NUM, rows - load * NPU_NUM), .h = 1, .w = TILE};
      tpu_gdma_cpy_S2L(in[load % 2], p->input + 4ull * load * NPU_NUM * TILE, &shape, NULL, NULL,
                       DT_FP32);
    }
    if (now >= 0 && now < parts) {
      const dim4 shape = {.n = 1, .c = MIN(NPU_NUM, rows - now * NPU_NUM), .h = 1, .w = TILE};
#if BUG == 1  // from the third part on one buffer of two
      const int to = now >= 2 ? 0 : now % 2;
#elif BUG == 2  // what is loaded now is computed on in the same region
      const int to = now % 2;
      tpu_bdc_fp_mul_C(out[to], in[parts > 3 && now == 2 ? 1 - to : to], two, &shape, NULL, NULL,
                       DT_FP32);
#else
      const int to = now % 2;
#endif
#if BUG != 2
      tpu_bdc_fp_mul_C(out[to], in[now % 2], two, &shape, NULL, NULL, DT_FP32);
#endif
    }
#if BUG == 3  // stored while it is computed, in the last turn
    const int from = store >= 0 && store == parts - 1 && parts > 1 ? parts - 1 : store;
    if (step == parts && parts > 1) {
      const dim4 shape = {
          .n = 1, .c = MIN(NPU_NUM, rows - (parts - 1) * NPU_NUM), .h = 1, .w = TILE};
      tpu_gdma_cpy_L2S(p->output + 4ull * (parts - 1) * NPU_NUM * TILE, out[(parts - 1) % 2],
                       &shape, NULL, NULL, DT_FP32);
    }
    if (from >= 0 && !(step == parts + 1 && parts > 1)) {
#else
    const int from = store;
    if (from >= 0) {
#endif
      const dim4 shape = {.n = 1, .c = MIN(NPU_NUM, rows - from * NPU_NUM), .h = 1, .w = TILE};
      tpu_gdma_cpy_L2S(p->output + 4ull * from * NPU_NUM * TILE, out[from % 2], &shape, NULL, NULL,
                       DT_FP32);
    }
    tpu_parallel_end();
  }
#if BUG == 4  // the rest only where there were whole rows
  if (rest && rows) {
#elif BUG == 5  // the rest is at most 9
  if (rest && rest < 10) {
#else
if (rest) {
#endif
    const dim4 shape = {.n = 1, .c = 1, .h = 1, .w = rest};
    tpu_gdma_cpy_S2L(0, p->input + 4ull * rows * TILE, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_mul_C(32768, 0, two, &shape, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + 4ull * rows * TILE, 32768, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(twice)
