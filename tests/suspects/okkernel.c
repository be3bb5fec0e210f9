// Kernels of the BM1684 that are legal and wrong. PICK names what is wrong and what would be right.
#include "okk.h"

#include "args.h"

// A depthwise convolution of 3 x 3 with a bias, then relu.
void bias_twice(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 12, 12}, kernel = {1, 64, 3, 3}, bias = {1, 64, 1, 1};
  const Padding sides = {1, 1, 1, 1};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->x, &shape, NULL, NULL);
  dim4 compact;
  okk_compact_stride(&compact, 0, &kernel);
  okk_gdma_32bit_cpy_S2L(0x1000, a->y, &kernel, &compact, NULL);
  okk_compact_stride(&compact, 0, &bias);
  okk_gdma_32bit_cpy_S2L(0x1100, a->z, &bias, &compact, NULL);
  okk_bdc_depthwise2d(0x2000, 0, 0x1000, 0x1100, &shape, 3, 3, true, &sides, NULL, NULL);
  if (PICK(1, 0)) okk_bdc_bias(0x2000, 0x2000, 0x1100, &shape, NULL, NULL);
  okk_bdc_relu(0x2000, 0x2000, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0x2000, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(bias_twice)

// x[i] * y[i] of 6 tiles of 64 x 64.
void index_off_by_one(const void* args) {
  const args_t* a = args;
  const dim4 tile = {1, 64, 1, 64};
  const unsigned long long bytes = 64 * 64 * 4;
  okk_initialize();
  for (int k = 0; k < 6; ++k) {
    okk_gdma_32bit_cpy_S2L(0, a->x + bytes * k, &tile, NULL, NULL);
    okk_gdma_32bit_cpy_S2L(0x1000, a->y + bytes * k - PICK(4, 0) * (k > 0), &tile, NULL, NULL);
    okk_bdc_mul(0x2000, 0, 0x1000, &tile, NULL, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a->out + bytes * k, 0x2000, &tile, NULL, NULL);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(index_off_by_one)

// x + y, doubled.
void maximum_for_sum(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 8, 32};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->x, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(0x1000, a->y, &shape, NULL, NULL);
  PICK(okk_bdc_max, okk_bdc_add)(0x2000, 0, 0x1000, &shape, NULL, NULL, NULL);
  okk_bdc_mul_C(0x2000, 0x2000, 2, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0x2000, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(maximum_for_sum)

// max(x, x / 16) + y: a leaky relu and a residual.
void wrong_slope(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 8, 32};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->x, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(0x1000, a->y, &shape, NULL, NULL);
  okk_bdc_mul_C(0x2000, 0, PICK(0.125f, 0.0625f), &shape, NULL, NULL);
  okk_bdc_max(0x2000, 0x2000, 0, &shape, NULL, NULL, NULL);
  okk_bdc_add(0x2000, 0x2000, 0x1000, &shape, NULL, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0x2000, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(wrong_slope)

// x * y + z.
void input_twice(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 8, 32};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->x, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(0x1000, a->y, &shape, NULL, NULL);
  okk_gdma_32bit_cpy_S2L(0x2000, a->z, &shape, NULL, NULL);
  okk_bdc_mul(0x3000, 0, PICK(0, 0x1000), &shape, NULL, NULL, NULL);
  okk_bdc_add(0x3000, 0x3000, 0x2000, &shape, NULL, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(a->out, 0x3000, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(input_twice)

// x times the scale of its channel, 128 channels in two groups of 64.
void scale_of_other_channels(const void* args) {
  const args_t* a = args;
  const dim4 shape = {1, 64, 8, 16}, one = {1, 64, 1, 1}, half = {128 * 128, 128, 16, 1};
  okk_initialize();
  for (int c = 0; c < 128; c += 64) {
    dim4 compact;
    okk_compact_stride(&compact, 0, &one);
    okk_gdma_32bit_cpy_S2L(0, a->x + 4ull * 128 * c, &shape, NULL, &half);
    okk_gdma_32bit_cpy_S2L(0x1000, a->y + 4ull * PICK(0, c), &one, &compact, NULL);
    okk_bdc_scale(0x2000, 0, 0x1000, &shape, NULL, NULL);
    okk_gdma_32bit_cpy_L2S(a->out + 4ull * 128 * c, 0x2000, &shape, &half, NULL);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(scale_of_other_channels)
