// More kernels of the BM1684 that are legal and wrong: what networks are made of.
#include "okk.h"

#include "args.h"

// Rows of 32 less their mean, divided by their deviation. The small number belongs under the root.
void small_number_outside(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 64, 1, 32}, one = {1, 64, 1, 1};
  dim4 spread;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&spread, 0, &one);
  spread.w = 0;
  okk_gdma_32bit_cpy_S2L(0, a->x, &rows, NULL, NULL);
  okk_bdc_avg_pool2d(0x1000, 0, &rows, 1, 32, NULL, NULL);
  okk_bdc_sub(0, 0, 0x1000, &rows, NULL, NULL, &spread);
  okk_bdc_mul(0x2000, 0, 0, &rows, NULL, NULL, NULL);
  okk_bdc_avg_pool2d(0x3000, 0x2000, &rows, 1, 32, NULL, NULL);
  if (PICK(0, 1)) okk_bdc_add_C(0x3000, 0x3000, 0.01f, &one, NULL, NULL);
  okk_bdc_rsqrt(0x3100, 0x3000, &one);
  if (PICK(1, 0)) okk_bdc_add_C(0x3100, 0x3100, 0.01f, &one, NULL, NULL);
  okk_bdc_mul(0x4000, 0, 0x3100, &rows, NULL, NULL, &spread);
  okk_gdma_32bit_cpy_L2S(a->out, 0x4000, &rows, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(small_number_outside)

// Pairs of halves turned by angles: (p, q) becomes (p cos - q sin, p sin + q cos).
void sign_of_rotation(const void* args) {
  const args_t* a = args;
  const dim4 half = {1, 64, 1, 32}, from = {4096, 64, 64, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->x, &half, NULL, &from);
  okk_gdma_32bit_cpy_S2L(0x400, a->x + 4 * 32, &half, NULL, &from);
  okk_gdma_32bit_cpy_S2L(0x800, a->y, &half, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(0xc00, a->z, &half, NULL, NULL);
  okk_bdc_mul(0x1000, 0, 0x800, &half, NULL, NULL, NULL);
  okk_bdc_mul(0x1400, 0x400, 0xc00, &half, NULL, NULL, NULL);
  PICK(okk_bdc_add, okk_bdc_sub)(0x1800, 0x1000, 0x1400, &half, NULL, NULL, NULL);
  okk_bdc_mul(0x1000, 0, 0xc00, &half, NULL, NULL, NULL);
  okk_bdc_mul(0x1400, 0x400, 0x800, &half, NULL, NULL, NULL);
  okk_bdc_add(0x1c00, 0x1000, 0x1400, &half, NULL, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0x1800, &half, &from, NULL);
  okk_gdma_32bit_cpy_L2S(a->out + 4 * 32, 0x1c00, &half, &from, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(sign_of_rotation)

// Five tiles of 8-bit steps, each with the scale of its own.
void scale_of_one_tile(const void* args) {
  const args_t* a = args;
  const dim4 tile = {1, 64, 1, 64}, one = {1, 64, 1, 1};
  dim4 compact;
  okk_initialize();
  okk_compact_stride(&compact, 0, &one);
  for (int k = 0; k < 5; ++k) {
    okk_gdma_32bit_cpy_S2L(0, a->x + 4ull * 4096 * k, &tile, NULL, NULL);
    okk_gdma_32bit_cpy_S2L(0x1000, a->y + 4ull * 64 * (unsigned)(PICK(k < 3 ? k : 2, k)), &one,
                           &compact, NULL);
    okk_bdc_add_C(0, 0, -0.5f, &tile, NULL, NULL);
    okk_bdc_scale(0x2000, 0, 0x1000, &tile, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a->out + 4ull * 4096 * k, 0x2000, &tile, NULL, NULL);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(scale_of_one_tile)

// Products of 16 x 64 and 64 x 32 for two sets of weights, 16 of the inner extent at a time.
void product_not_begun_anew(const void* args) {
  const args_t* a = args;
  okk_initialize();
  for (int set = 0; set < 2; ++set) {
    for (int k = 0; k < 4; ++k) {
      okk_gdma_32bit_matrix_S2L(0, a->x + 4ull * 16 * k, 16, 16, 4, 64);
      okk_gdma_32bit_matrix_S2L(0x1000, a->y + 4ull * (2048 * set + 16 * 32 * k), 16, 32, 8, 32);
      okk_bdc_matmul(0x4000, 0, 0x1000, 0, 16, 16, 32, 4, 8, false, PICK(k > 0 || set > 0, k > 0));
    }
    okk_gdma_32bit_matrix_L2S(a->out + 4ull * 512 * set, 0x4000, 16, 32, 8, 32);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(product_not_begun_anew)

// Squares of 16 x 16 transposed, then x * 2 - 1.
void strides_not_exchanged(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 16, 16}, rows = {16384, 256, 16, 1}, columns = {16384, 256, 1, 16};
  (void)rows, (void)columns;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->x, &shape, NULL, PICK(&rows, &columns));
  okk_bdc_mul_C(0x1000, 0, 2, &shape, NULL, NULL);
  okk_bdc_add_C(0x1000, 0x1000, -1, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0x1000, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(strides_not_exchanged)
