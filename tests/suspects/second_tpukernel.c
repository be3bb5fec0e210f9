// More kernels of the BM1684X that are legal and wrong: what networks are made of.
#include "tpu_kernel.h"

#include "args.h"

static const dim2 kOne = {1, 1};
static const padding_t kNone = {0, 0, 0, 0};

static scalar_t f32(float value) {
  const scalar_t scalar = {.f32 = value};
  return scalar;
}

static void row_stride(dim4* stride) {
  const dim4 one = {1, 64, 1, 1};
  tpu_aligned_stride(stride, 0, &one, DT_FP32);
  stride->h = stride->w = 0;
}

// 64 queries against 32 keys of 64 numbers, less the largest of the row.
void scores_without_root(const void* args) {
  const args_t* a = args;
  const dim4 queries = {1, 64, 1, 64}, keys = {1, 32, 1, 64}, scores = {1, 64, 1, 32};
  const dim2 row = {1, 32};
  dim4 spread;
  tpu_initialize();
  row_stride(&spread);
  tpu_gdma_cpy_S2L(0, a->x, &queries, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0x1000, a->y, &keys, NULL, NULL, DT_FP32);
  tpu_bdc_cast(0x2000, 0, &queries, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_cast(0x3000, 0x1000, &keys, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_fp_mm_R_trans(0x4000, 0x2000, 0x3000, 64, 64, 32, DT_FP32, DT_FP16);
  tpu_bdc_fp_mul_C(0x4000, 0x4000, f32(PICK(1.f / 64, 0.125f)), &scores, NULL, NULL, DT_FP32);
  tpu_bdc_fp_max_pool2d(0x5000, 0x4000, &scores, &row, &kNone, &kOne, &kOne, DT_FP32, f32(-1e30f));
  tpu_bdc_fp_sub(0x4000, 0x4000, 0x5000, &scores, NULL, NULL, &spread, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0x4000, &scores, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(scores_without_root)

// Softmax of 128 rows of 48, 64 rows at a time.
void largest_for_sum(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 64, 1, 48}, one = {1, 64, 1, 1};
  const dim2 row = {1, 48};
  dim4 spread;
  tpu_initialize();
  row_stride(&spread);
  tpu_bdc_load_fp_exp_coeff(0x8000, DT_FP32);
  for (int k = 0; k < 2; ++k) {
    tpu_gdma_cpy_S2L(0, a->x + 4ull * 64 * 48 * k, &rows, NULL, NULL, DT_FP32);
    tpu_bdc_fp_max_pool2d(0x1000, 0, &rows, &row, &kNone, &kOne, &kOne, DT_FP32, f32(-1e30f));
    tpu_bdc_fp_sub(0, 0, 0x1000, &rows, NULL, NULL, &spread, DT_FP32);
    tpu_bdc_fp_exp(0x2000, 0, 0x3000, 0x4000, 0x8000, &rows, DT_FP32);
    PICK(tpu_bdc_fp_max_pool2d, tpu_bdc_fp_avg_pool2d)
    (0x1000, 0x2000, &rows, &row, &kNone, &kOne, &kOne, DT_FP32, f32(PICK(0, 1)));
    tpu_bdc_fp32_reciprocal(0x1100, 0x1000, &one, NULL, NULL);
    tpu_bdc_fp_mul(0x5000, 0x2000, 0x1100, &rows, NULL, NULL, &spread, DT_FP32);
    tpu_gdma_cpy_L2S(a->out + 4ull * 64 * 48 * k, 0x5000, &rows, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(largest_for_sum)

// The sum of 6 tiles, loaded in turn into two halves while the other is added.
void half_not_exchanged(const void* args) {
  const args_t* a = args;
  const dim4 tile = {1, 64, 1, 64};
  tpu_initialize();
  tpu_bdc_set_C(0x4000, f32(0), &tile, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->x, &tile, NULL, NULL, DT_FP32);
  for (int k = 0; k < 6; ++k) {
    const int now = k % 2 * 0x1000, next = 0x1000 - now;
    tpu_parallel_start();
    if (k < 5) tpu_gdma_cpy_S2L(next, a->x + 4ull * 4096 * (k + 1), &tile, NULL, NULL, DT_FP32);
    tpu_bdc_fp_add(0x4000, 0x4000, PICK(k == 5 ? next : now, now), &tile, NULL, NULL, NULL,
                   DT_FP32);
    tpu_parallel_end();
  }
  tpu_bdc_fp_mul_C(0x5000, 0x4000, f32(0.5f), &tile, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0x5000, &tile, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(half_not_exchanged)

// 128 rows of a table of 256, by their numbers; each plus a row of places.
void table_one_row_off(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 1, 128, 64}, tensor = {1, 64, 2, 64};
  tpu_initialize();
  tpu_gdma_h_gather_S2S(a->out, a->x + PICK(4 * 64, 0), a->y, false, f32(0), &rows, PICK(255, 256),
                        NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->out, &tensor, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0x1000, a->z, &tensor, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(0x2000, 0, 0x1000, &tensor, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0x2000, &tensor, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(table_one_row_off)

// x plus a bias for every column of its 16 x 16.
void bias_along_rows(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 16, 16}, bias = {1, 64, 1, 16};
  dim4 down, across;
  tpu_initialize();
  tpu_aligned_stride(&down, 0, &bias, DT_FP32);
  across = down;
  down.h = 0;
  across.h = 1;
  across.w = 0;
  (void)across;
  tpu_gdma_cpy_S2L(0, a->x, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0x1000, a->y, &bias, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(0x2000, 0, 0x1000, &shape, NULL, NULL, PICK(&across, &down), DT_FP32);
  tpu_bdc_fp_mul_C(0x2000, 0x2000, f32(3), &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0x2000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(bias_along_rows)
