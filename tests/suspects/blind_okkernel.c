// Kernels of the BM1684 that are legal and wrong, which nothing was tuned on.
#include "okk.h"

#include "args.h"

// Half of what a convolution of 1 x 1 with a bias gives.
void bias_before_and_after(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 16, 8, 8}, out = {1, 32, 8, 8}, pairs = {16, 32, 1, 1};
  dim4 compact;
  okk_initialize();
  okk_compact_stride(&compact, 0, &out);
  okk_gdma_32bit_cpy_S2L(0, a->x, &in, NULL, NULL);
  okk_compact_stride(&compact, 0, &pairs);
  okk_gdma_32bit_cpy_S2L(0x1000, a->y, &pairs, &compact, NULL);
  const dim4 bias = {1, 32, 1, 1};
  okk_compact_stride(&compact, 0, &bias);
  okk_gdma_32bit_cpy_S2L(0x1800, a->z, &bias, &compact, NULL);
  okk_compact_stride(&compact, 0, &pairs);
  okk_bdc_conv2d(0x2000, 0, 0x1000, 0x1800, &in, 32, 1, 1, NULL, &compact, true, false, NULL, NULL,
                 NULL);
  okk_bdc_mul_C(0x2000, 0x2000, 0.5f, &out, NULL, NULL);
  if (PICK(1, 0)) okk_bdc_bias(0x2000, 0x2000, 0x1800, &out, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0x2000, &out, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(bias_before_and_after)

// Sums of the squares of 3 x 3 numbers, plus one.
void ninth_for_eighth(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 12, 12};
  const Padding sides = {1, 1, 1, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->x, &shape, NULL, NULL);
  okk_bdc_mul(0x1000, 0, 0, &shape, NULL, NULL, NULL);
  okk_bdc_avg_pool2d(0x2000, 0x1000, &shape, 3, 3, &sides, NULL);
  okk_bdc_mul_C(0x2000, 0x2000, PICK(8, 9), &shape, NULL, NULL);
  okk_bdc_add_C(0x2000, 0x2000, 1, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0x2000, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(ninth_for_eighth)

// 8 bands of 4 rows, doubled; bands of the output begin a row too early from the fifth on.
void band_stored_early(const void* args) {
  const args_t* a = args;
  const dim4 band = {1, 64, 4, 16}, all = {32 * 1024, 512, 16, 1};
  okk_initialize();
  for (int k = 0; k < 8; ++k) {
    okk_gdma_32bit_cpy_S2L(0, a->x + 4ull * 64 * k, &band, NULL, &all);
    okk_bdc_mul_C(0x1000, 0, 2, &band, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a->out + 4ull * (64 * k - PICK(k > 4 ? 16 : 0, 0)), 0x1000, &band, &all,
                           NULL);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(band_stored_early)

// f(x) + y where f is max(x, 0) * 3.
void residual_of_itself(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 8, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->x, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(0x1000, a->y, &shape, NULL, NULL);
  okk_bdc_relu(0x2000, 0, &shape, NULL, NULL);
  okk_bdc_mul_C(0x2000, 0x2000, 3, &shape, NULL, NULL);
  okk_bdc_add(0x3000, 0x2000, PICK(0, 0x1000), &shape, NULL, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0x3000, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(residual_of_itself)

// x divided by the root of the mean of its squares, times a weight for each of 64 columns.
void weight_not_spread(const void* args) {
  const args_t* a = args;
  const dim4 rows = {1, 64, 1, 64}, one = {1, 64, 1, 1};
  dim4 spread;
  okk_initialize();
  okk_128_byte_aligned_stride_for_32bit(&spread, 0, &one);
  spread.w = 0;
  okk_gdma_32bit_cpy_S2L(0, a->x, &rows, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(0x1000, a->y, &rows, NULL, &(dim4){64, 0, 64, 1});
  okk_bdc_mul(0x2000, 0, 0, &rows, NULL, NULL, NULL);
  okk_bdc_avg_pool2d(0x3000, 0x2000, &rows, 1, 64, NULL, NULL);
  okk_bdc_add_C(0x3000, 0x3000, 0.001f, &one, NULL, NULL);
  okk_bdc_rsqrt(0x3100, 0x3000, &one);
  okk_bdc_mul(0x4000, 0, 0x3100, &rows, NULL, NULL, &spread);
  okk_bdc_mul(0x4000, 0x4000, 0x1000, &rows, NULL, NULL, PICK(&spread, NULL));
  okk_gdma_32bit_cpy_L2S(a->out, 0x4000, &rows, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(weight_not_spread)
