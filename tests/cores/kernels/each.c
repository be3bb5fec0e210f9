// What every core does by itself, with barriers in between so that cores take turns in the middle:
// the same is right or wrong with it whatever the others do in local memories of their own.
#include "cores.h"

// in: 2n fp32, the same for all cores; out: n fp32 for each core; in2: as much to work in.
// broken: with defects, the same on every core that has it.
void each(const void* args) {
  const cores_args* a = (const cores_args*)args;
  const unsigned long long bytes = a->n * 4ull, mine = tpu_core_index() * bytes;
  const int columns = a->n / 64;
  const local_addr_t x = 0, part = 1024, whole = 512, y = 4096, z = 8192, w = 12288;
  const dim4 shape = matrix(64, columns), half = matrix(64, columns / 2);
  const dim4 twice = matrix(64, 2 * columns), single = matrix(64, 1);
  const scalar_t two = {.f32 = 2};
  tpu_initialize();

  // A small tensor that is read, and later a part of a larger one in its place.
  tpu_gdma_cpy_S2L(part, a->in, &half, NULL, NULL, DT_FP32);
  tpu_sync_all();
  tpu_bdc_fp_mul_C(y, part, two, &half, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(whole, a->in, &twice, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(y, part, y, &half, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->in2 + mine, y, &half, NULL, NULL, DT_FP32);

  // A tensor whose end the next one overwrites, with the cores in between.
  if (a->broken) tpu_gdma_cpy_S2L(z, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_sync_all();
  if (a->broken) tpu_gdma_cpy_S2L(z + columns * 2, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_sync_all();
  if (a->broken) {
    tpu_bdc_fp_mul_C(w, z, two, &shape, NULL, NULL, DT_FP32);
    // A result that nobody reads.
    tpu_bdc_fp_add_C(w + 2048, w, two, &shape, NULL, NULL, DT_FP32);
    // Half of it was never written.
    row_sum(w + 1024, y, 64, columns);
    tpu_gdma_cpy_L2S(a->in2 + mine, w + 1024, &single, NULL, NULL, DT_FP32);
    // A region whose engines meet.
    tpu_parallel_start();
    tpu_gdma_cpy_S2L(z, a->in, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_mul_C(w, z, two, &shape, NULL, NULL, DT_FP32);
    tpu_parallel_end();
  }
  tpu_sync_all();
  tpu_gdma_cpy_S2L(x, a->in, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(x, x, two, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out + mine, x, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(each)
