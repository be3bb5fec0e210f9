// Softmax of 64 rows whose columns are divided among the cores: each finds the largest value of its
// part, then, after a barrier, that of all; the same with the sums.
#include "cores.h"

enum { kFine, kNoBarrier, kOneWithoutBarrier };

void softmax(const void* args) {
  const cores_args* a = (const cores_args*)args;
  const int core = tpu_core_index(), cores = tpu_core_num(), cols = a->n / cores;
  const local_addr_t x = 0, part = 16384, all = part + 64, total = all + 64, work = 32768;
  const unsigned long long mine = (unsigned long long)core * cols * 4, one = core * 4ull;
  const unsigned long long maxima = L2_SRAM_START_ADDR, sums = maxima + 64 * 4 * cores;
  const dim4 shape = matrix(64, cols), single = matrix(64, 1), each = matrix(64, cores);
  const dim4 in_rows = {.n = 1, .c = a->n, .h = a->n, .w = 1};
  const dim4 in_parts = {.n = 1, .c = cores, .h = cores, .w = 1};
  const dim4 stride = column_stride(64);

  tpu_initialize();
  tpu_gdma_cpy_S2L(x, a->in + mine, &shape, NULL, &in_rows, DT_FP32);
  row_max(part, x, 64, cols);
  tpu_gdma_cpy_L2S(maxima + one, part, &single, &in_parts, NULL, DT_FP32);  // @max
  if (a->broken != kNoBarrier && !(a->broken == kOneWithoutBarrier && core == 1)) tpu_sync_all();
  tpu_gdma_cpy_S2L(all, maxima, &each, NULL, NULL, DT_FP32);  // @maxima
  row_max(total, all, 64, cores);
  exp_minus(x, total, work, 64, cols);
  row_sum(part, x, 64, cols);
  tpu_gdma_cpy_L2S(sums + one, part, &single, &in_parts, NULL, DT_FP32);
  tpu_sync_all();  // @barrier
  tpu_gdma_cpy_S2L(all, sums, &each, NULL, NULL, DT_FP32);
  row_sum(total, all, 64, cores);
  tpu_bdc_fp_div(x, x, total, &shape, NULL, NULL, &stride, DT_FP32);
  tpu_gdma_cpy_L2S(a->out + mine, x, &shape, &in_rows, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(softmax)
