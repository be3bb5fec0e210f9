// Kernels of the BM1684X that are legal and wrong, which nothing was tuned on.
#include "tpu_kernel.h"

#include "args.h"

static const dim2 kOne = {1, 1};
static const padding_t kNone = {0, 0, 0, 0};

static scalar_t f32(float value) {
  const scalar_t scalar = {.f32 = value};
  return scalar;
}

// The 8 largest of 1000, times 2.
void smallest_for_largest(const void* args) {
  const args_t* a = args;
  const dim4 row = {1, 1, 1, 8};
  tpu_initialize();
  tpu_hau_sort(a->out, a->x, 1000, 8, PICK(false, true), DT_FP32);
  tpu_hau_poll();
  tpu_gdma_cpy_S2L(0, a->out, &row, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul_C(0x1000, 0, f32(2), &row, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->out, 0x1000, &row, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(smallest_for_largest)

// Bytes from 0 to 255 in steps of a scale around 128: (q - 128) * scale, 3 tiles.
void bytes_with_sign(const void* args) {
  const args_t* a = args;
  const dim4 tile = {1, 64, 1, 64}, one = {1, 64, 1, 1};
  dim4 compact;
  tpu_initialize();
  tpu_compact_stride(&compact, 0, &one);
  tpu_gdma_cpy_S2L(0x6000, a->y, &one, &compact, NULL, DT_FP32);
  for (int k = 0; k < 3; ++k) {
    tpu_gdma_cpy_S2L(0, a->x + 4096ull * k, &tile, NULL, NULL, DT_UINT8);
    tpu_bdc_cast(0x1000, 0, &tile, NULL, NULL, DT_FP32, PICK(DT_INT8, DT_UINT8), RM_HALF_TO_EVEN);
    tpu_bdc_fp_add_C(0x2000, 0x1000, f32(-128), &tile, NULL, NULL, DT_FP32);
    tpu_bdc_fp_scale(0x3000, 0x2000, 0x6000, &tile, DT_FP32);
    tpu_gdma_cpy_L2S(a->out + 4ull * 4096 * k, 0x3000, &tile, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(bytes_with_sign)

// 100 rows of 32, 24 at a time: what is left over is forgotten.
void rest_forgotten(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  for (int row = 0; PICK(row + 24 <= 100, row < 100); row += 24) {
    const dim4 tile = {1, row + 24 > 100 ? 100 - row : 24, 1, 32};
    tpu_gdma_cpy_S2L(0, a->x + 4ull * 32 * row, &tile, NULL, NULL, DT_FP32);
    tpu_bdc_fp_sub_C_sqr(0x1000, 0, f32(0.5f), &tile, DT_FP32);
    tpu_bdc_fp_add_C(0x1000, 0x1000, f32(1), &tile, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(a->out + 4ull * 32 * row, 0x1000, &tile, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(rest_forgotten)

// |x| + 1 over |y| + 2.
void divided_the_other_way(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 4, 32};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0x1000, a->y, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_abs(0, 0, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_abs(0x1000, 0x1000, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(0, 0, f32(1), &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(0x1000, 0x1000, f32(2), &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp32_div(0x2000, PICK(0x1000, 0), PICK(0, 0x1000), &shape, NULL, NULL, NULL);
  tpu_gdma_cpy_L2S(a->out, 0x2000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(divided_the_other_way)

// The largest of every 2 x 2, 8 tiles, two buffers in turn; one tile is of the turn before.
void buffer_of_one_tile(const void* args) {
  const args_t* a = args;
  const dim4 tile = {1, 64, 8, 8}, small = {1, 64, 4, 4};
  const dim2 window = {2, 2};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->x, &tile, NULL, NULL, DT_FP32);
  for (int k = 0; k < 8; ++k) {
    const int now = k & 1 ? 0x2000 : 0, next = k & 1 ? 0 : 0x2000;
    tpu_parallel_start();
    if (k < 7) tpu_gdma_cpy_S2L(next, a->x + 4ull * 4096 * (k + 1), &tile, NULL, NULL, DT_FP32);
    tpu_bdc_fp_max_pool2d(0x4000 + now, now, &tile, &window, &kNone, &window, &kOne, DT_FP32,
                          f32(-1e30f));
    tpu_parallel_end();
    tpu_gdma_cpy_L2S(a->out + 4ull * 1024 * k, 0x4000 + (PICK(k == 5 ? next : now, now)), &small,
                     NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(buffer_of_one_tile)
