// Kernels of the BM1684X that are legal and wrong. PICK names what is wrong and what would be
// right.
#include "tpu_kernel.h"

#include "args.h"

static const dim2 kOne = {1, 1};
static const padding_t kNone = {0, 0, 0, 0};

static scalar_t f32(float value) {
  const scalar_t scalar = {.f32 = value};
  return scalar;
}

// y = 2 x + b of 64 rows of 480 columns, in tiles of 96.
void wrong_pitch(const void* args) {
  const args_t* a = args;
  const dim4 tile = {1, 64, 1, 96}, rows = {64 * 480, 480, 480, 1}, other = {64 * 448, 448, 448, 1};
  (void)other;
  tpu_initialize();
  for (int w = 0; w < 480; w += 96) {
    tpu_gdma_cpy_S2L(0, a->x + 4ull * w, &tile, NULL, &rows, DT_FP32);
    tpu_gdma_cpy_S2L(0x4000, a->y + 4ull * w, &tile, NULL, PICK(&other, &rows), DT_FP32);
    tpu_bdc_fp_mul_C(0x8000, 0, f32(2), &tile, NULL, NULL, DT_FP32);
    tpu_bdc_fp_add(0x8000, 0x8000, 0x4000, &tile, NULL, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(a->out + 4ull * w, 0x8000, &tile, &rows, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(wrong_pitch)

// x less the mean of its row.
void swapped_sources(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 1, 128}, one = {1, 64, 1, 1};
  const dim2 row = {1, 128};
  dim4 spread;
  tpu_initialize();
  tpu_aligned_stride(&spread, 0, &one, DT_FP32);
  spread.w = 0;
  tpu_gdma_cpy_S2L(0, a->x, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(0x1000, 0, &shape, &row, &kNone, &kOne, &kOne, DT_FP32, f32(1.f / 128));
  tpu_bdc_fp_sub(0x2000, PICK(0x1000, 0), PICK(0, 0x1000), &shape, NULL, PICK(&spread, NULL),
                 PICK(NULL, &spread), DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0x2000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(swapped_sources)

// Averages of windows of 4 x 4.
void wrong_scale(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 64, 16, 16}, out = {1, 64, 4, 4};
  const dim2 window = {4, 4};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &in, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(0x1000, 0, &in, &window, &kNone, &window, &kOne, DT_FP32,
                        f32(PICK(0.125f, 0.0625f)));
  tpu_bdc_fp_add_C(0x1000, 0x1000, f32(1), &out, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0x1000, &out, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(wrong_scale)

// The square root of |x| of 7 tiles of 64 x 64.
void last_tile_missing(const void* args) {
  const args_t* a = args;
  const dim4 tile = {1, 64, 1, 64};
  tpu_initialize();
  for (int k = 0; k < PICK(6, 7); ++k) {
    tpu_gdma_cpy_S2L(0, a->x + 4ull * 64 * 64 * k, &tile, NULL, NULL, DT_FP32);
    tpu_bdc_abs(0x1000, 0, &tile, NULL, NULL, DT_FP32);
    tpu_bdc_fp_mul_C(0x1000, 0x1000, f32(3), &tile, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(a->out + 4ull * 64 * 64 * k, 0x1000, &tile, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(last_tile_missing)

// out[g] = the sum of x[g][k] * y[k] over k, for 3 groups of 4 tiles.
void sum_not_cleared(const void* args) {
  const args_t* a = args;
  const dim4 tile = {1, 64, 1, 32};
  const unsigned long long bytes = 64 * 32 * 4;
  tpu_initialize();
  for (int g = 0; g < 3; ++g) {
    if (PICK(g == 0, 1)) tpu_bdc_set_C(0x4000, f32(0), &tile, NULL, DT_FP32);
    for (int k = 0; k < 4; ++k) {
      tpu_gdma_cpy_S2L(0, a->x + bytes * (g * 4 + k), &tile, NULL, NULL, DT_FP32);
      tpu_gdma_cpy_S2L(0x1000, a->y + bytes * k, &tile, NULL, NULL, DT_FP32);
      tpu_bdc_fp_mul(0x2000, 0, 0x1000, &tile, NULL, NULL, NULL, DT_FP32);
      tpu_bdc_fp_add(0x4000, 0x4000, 0x2000, &tile, NULL, NULL, NULL, DT_FP32);
    }
    tpu_gdma_cpy_L2S(a->out + bytes * g, 0x4000, &tile, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(sum_not_cleared)

// The largest of 3 x 3 of negative numbers; nothing lies outside.
void wrong_padding(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 12, 12};
  const dim2 window = {3, 3};
  const padding_t sides = {1, 1, 1, 1};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(0, 0, f32(-5), &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_max_pool2d(0x1000, 0, &shape, &window, &sides, &kOne, &kOne, DT_FP32,
                        f32(PICK(0, -1e30f)));
  tpu_gdma_cpy_L2S(a->out, 0x1000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(wrong_padding)

// The means of rows of 16 x 16.
void wrong_axis(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 16, 16}, means = {1, 64, 1, 16};
  const dim2 row = {1, 16}, column = {16, 1};
  (void)row;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(0x1000, 0, &shape, PICK(&column, &row), &kNone, &kOne, &kOne, DT_FP32,
                        f32(0.0625f));
  tpu_bdc_fp_mul_C(0x1000, 0x1000, f32(3), &means, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0x1000, &means, NULL, NULL, DT_FP32);
  (void)column;
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(wrong_axis)

// 3 x in bfloat16.
void wrong_type(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 1, 64};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_cast(0x1000, 0, &shape, NULL, NULL, DT_BFP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_cast(0x2000, 0x1000, &shape, NULL, NULL, DT_FP32, PICK(DT_FP16, DT_BFP16),
               RM_HALF_TO_EVEN);
  tpu_bdc_fp_mul_C(0x2000, 0x2000, f32(3), &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0x2000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(wrong_type)

// x + 1 in 8 tiles, two buffers in turn.
void stale_buffer(const void* args) {
  const args_t* a = args;
  const dim4 tile = {1, 64, 1, 64};
  const unsigned long long bytes = 64 * 64 * 4;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &tile, NULL, NULL, DT_FP32);
  for (int k = 0; k < 8; ++k) {
    const int now = k % 2 * 0x1000, next = 0x1000 - now;
    tpu_parallel_start();
    if (k + 1 < 8) tpu_gdma_cpy_S2L(next, a->x + bytes * (k + 1), &tile, NULL, NULL, DT_FP32);
    tpu_bdc_fp_add_C(0x2000 + now, PICK(k < 5 ? now : 0, now), f32(1), &tile, NULL, NULL, DT_FP32);
    tpu_parallel_end();
    tpu_gdma_cpy_L2S(a->out + bytes * k, 0x2000 + now, &tile, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(stale_buffer)

// Numbers rounded to integers, of x, 2 x and 3 x together.
void wrong_rounding(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 1, 64};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_cast(0x1000, 0, &shape, NULL, NULL, DT_INT32, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_fp_mul_C(0x2000, 0, f32(2), &shape, NULL, NULL, DT_FP32);
  tpu_bdc_cast(0x2000, 0x2000, &shape, NULL, NULL, DT_INT32, DT_FP32,
               PICK(RM_DOWN, RM_HALF_TO_EVEN));
  tpu_bdc_int_add(0x1000, 0x1000, 0x2000, &shape, NULL, NULL, NULL, DT_INT32, DT_INT32, DT_INT32, 0,
                  RM_HALF_TO_EVEN, false);
  tpu_bdc_cast(0x3000, 0x1000, &shape, NULL, NULL, DT_FP32, DT_INT32, RM_HALF_TO_EVEN);
  tpu_gdma_cpy_L2S(a->out, 0x3000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(wrong_rounding)

// x times y, both 64 x 64 in half precision; y comes transposed.
void weights_transposed(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 1, 64};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0x1000, a->y, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_cast(0x2000, 0, &shape, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_cast(0x3000, 0x1000, &shape, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
  if (PICK(1, 0))
    tpu_bdc_fp_mm(0x4000, 0x2000, 0x3000, 64, 64, 64, DT_FP32, DT_FP16, false);
  else
    tpu_bdc_fp_mm_R_trans(0x4000, 0x2000, 0x3000, 64, 64, 64, DT_FP32, DT_FP16);
  tpu_gdma_cpy_L2S(a->out, 0x4000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(weights_transposed)

// Right ones, for what they follow: the largest of four numbers, and the two largest of sixteen.
void largest(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 4}, one = {1, 1, 1, 1};
  const dim2 window = {1, 4};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &row, NULL, NULL, DT_FP32);
  tpu_bdc_fp_max_pool2d(0x4000, 0, &row, &window, &kNone, &kOne, &kOne, DT_FP32, f32(-1e30f));
  tpu_gdma_cpy_L2S(a->out, 0x4000, &one, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(largest)

void two_largest(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  tpu_hau_sort_natural_index(a->out, a->out + 64, a->x, 16, 2, true, DT_FP32);
  tpu_hau_poll();
}
TPUKERNEL_FUNC_REGISTER(two_largest)
