// Right, and easily taken for wrong: odd numbers of channels, zeros made of anything, start NPUs.
#include "corpus.h"

static const dim4 kAll = {1, 64, 16, 16};
static const dim2 kOne = {1, 1};
static const Padding kNone = {0, 0, 0, 0};

// 100 channels: NPUs 36 to 63 have one of them, the others two; so have scale and bias.
// SILENT
// RUN in=102400 in2=800 out=102400
void hundred_channels(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 100, 16, 16}, vector = {1, 100, 1, 1};
  dim4 compact;
  okk_initialize();
  okk_compact_stride(&compact, 0, &vector);
  okk_gdma_32bit_cpy_S2L(0, a->in, &in, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &vector, &compact, 0);
  okk_gdma_32bit_cpy_S2L(4104, a->in2 + 400, &vector, &compact, 0);
  okk_bdc_scale_bias(8192, 0, 4096, 4104, &in, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &in, 0, 0);
  okk_poll();
}
KERNEL(hundred_channels)

// One channel short: the 100th bias, the second value of NPU 35.
// EXPECT TL-INIT-001 error @hundredth
// RUN in=102400 in2=800 out=102400
void hundredth_channel_missing(const void* args) {
  const args_t* a = args;
  const dim4 in = {1, 100, 16, 16}, vector = {1, 100, 1, 1}, most = {1, 99, 1, 1};
  dim4 compact;
  okk_initialize();
  okk_compact_stride(&compact, 0, &vector);
  okk_gdma_32bit_cpy_S2L(0, a->in, &in, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->in2, &most, &compact, 0);
  okk_bdc_bias(8192, 0, 4096, &in, 0, 0);  // @hundredth
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &in, 0, 0);
  okk_poll();
}
KERNEL(hundredth_channel_missing)

// 70 output channels from NPU 60 on, 10 input channels from NPU 5 on.
// SILENT
// RUN in=10240 in2=2800 out=71680
void convolution_from_npu_sixty(const void* args) {
  const args_t* a = args;
  const local_addr_t npu = okk_local_mem_size_per_npu(), in_at = 5 * npu, out_at = 60 * npu;
  const dim4 in = {1, 10, 16, 16}, pairs = {5, 70, 1, 1}, weights = {5, 70, 1, 2};
  const dim4 out = {1, 70, 16, 16};
  dim4 strides, words;
  okk_initialize();
  okk_compact_stride(&strides, 60, &pairs);
  okk_compact_stride(&words, 60, &weights);
  okk_gdma_32bit_cpy_S2L(in_at, a->in, &in, 0, 0);
  okk_gdma_32bit_cpy_S2L(out_at + 16384, a->in2, &weights, &words, 0);
  okk_bdc_conv2d(out_at, in_at, out_at + 16384, 0, &in, 70, 1, 1, 0, &strides, false, false, &kNone,
                 &kOne, &kOne);
  okk_gdma_32bit_cpy_L2S(a->out, out_at, &out, 0, 0);
  okk_poll();
}
KERNEL(convolution_from_npu_sixty)

// Zeros made of whatever was there: x ^ x, x & 0.
// SILENT
// RUN in=0 out=131072
void zeros_of_anything(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_bdc_32bit_xor(0, 0, 0, &kAll, 0, 0, 0);
  okk_bdc_32bit_and_C(4096, 4096, (x32){.u32 = 0}, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out + 65536, 4096, &kAll, 0, 0);
  okk_poll();
}
KERNEL(zeros_of_anything)

// Of integers x - x and x * 0 are zeros too.
// SILENT
// RUN in=0 out=8192
void zeros_of_integers(const void* args) {
  const args_t* a = args;
  const dim4 bytes = {4, 64, 4, 4}, words = {1, 64, 4, 4};
  okk_initialize();
  okk_bdc_fixed_point_packed_sub(0, 0, 0, &bytes, 0, 0, 0, S8_OP_S8_TO_S8, 1);
  okk_bdc_fixed_point_packed_mul_C(4096, 4096, 0, &bytes, 0, 0, U8_OP_U8_TO_U8, 0);
  okk_gdma_32bit_cpy_L2S(a->out, 0, &words, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->out + 4096, 4096, &words, 0, 0);
  okk_poll();
}
KERNEL(zeros_of_integers)

// Bytes with and without a sign: x - x is x or x - 256.
// EXPECT TL-INIT-001 error @mixed
// RUN in=0 out=4096
void difference_of_two_types(const void* args) {
  const args_t* a = args;
  const dim4 bytes = {4, 64, 4, 4}, words = {1, 64, 4, 4};
  okk_initialize();
  okk_bdc_fixed_point_packed_sub(0, 0, 0, &bytes, 0, 0, 0, S8_OP_U8_TO_S8, 0);  // @mixed
  okk_gdma_32bit_cpy_L2S(a->out, 0, &words, 0, 0);
  okk_poll();
}
KERNEL(difference_of_two_types)

// x * 0 is no zero where x is infinite.
// EXPECT TL-INIT-001 error @product
// RUN in=0
void zero_times_anything(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_bdc_mul_C(0, 0, 0.0f, &kAll, 0, 0);  // @product
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(zero_times_anything)

// x - x is no zero: x may be no number.
// EXPECT TL-INIT-001 error @difference
// RUN in=0
void zeros_of_any_number(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_bdc_sub(0, 0, 0, &kAll, 0, 0, 0);  // @difference
  okk_gdma_32bit_cpy_L2S(a->out, 0, &kAll, 0, 0);
  okk_poll();
}
KERNEL(zeros_of_any_number)

// Only one bit of every word counts, and that one was written: the mask keeps it.
// SILENT
// RUN in=0 out=4
void one_result_of_many(const void* args) {
  const args_t* a = args;
  const dim4 one = {1, 1, 1, 1};
  okk_initialize();
  okk_bdc_32bit_set_C(0, (x32){.fp32 = 4.0f}, &one, 0);
  okk_bdc_mul_C(4096, 0, 2.0f, &kAll, 0, 0);
  okk_bdc_rsqrt(8192, 4096, &kAll);
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &one, 0, 0);
  okk_poll();
}
KERNEL(one_result_of_many)

// Rows and columns of padding around the picture are set, the picture is loaded into the middle.
// SILENT
// RUN out=65536 launches=3
void frame_of_zeros(const void* args) {
  const args_t* a = args;
  const dim4 framed = {1, 64, 18, 18}, inner = {0, 352, 18, 1};
  const dim2 step = {1, 1};
  okk_initialize();
  okk_bdc_32bit_set_C(0, (x32){.fp32 = 0}, &framed, 0);
  okk_gdma_32bit_cpy_S2L((18 + 1) * 4, a->in, &kAll, &inner, 0);
  okk_bdc_max_pool2d(8192, 0, &framed, 3, 3, 0, &step);
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &kAll, 0, 0);
  okk_poll();
}
KERNEL(frame_of_zeros)

// The frame is set on three sides.
// EXPECT TL-INIT-001 error @framed_pool
void frame_with_a_side_missing(const void* args) {
  const args_t* a = args;
  const dim4 framed = {1, 64, 18, 18}, most = {1, 64, 17, 18}, inner = {0, 352, 18, 1};
  const dim2 step = {1, 1};
  okk_initialize();
  okk_bdc_32bit_set_C(0, (x32){.fp32 = 0}, &most, &(dim4){0, 352, 18, 1});
  okk_gdma_32bit_cpy_S2L((18 + 1) * 4, a->in, &kAll, &inner, 0);
  okk_bdc_max_pool2d(8192, 0, &framed, 3, 3, 0, &step);  // @framed_pool
  okk_gdma_32bit_cpy_L2S(a->out, 8192, &kAll, 0, 0);
  okk_poll();
}
KERNEL(frame_with_a_side_missing)

// A product whose left matrix starts at another NPU, with a bias and a second half added.
// SILENT
// RUN in=3840 in2=7680 out=1920
void product_in_two_halves(const void* args) {
  const args_t* a = args;
  const local_addr_t there = 9 * okk_local_mem_size_per_npu();
  okk_initialize();
  okk_gdma_32bit_matrix_S2L(40000 / 128 * 128, a->in2, 1, 30, 8, 30);
  for (int half = 0; half < 2; ++half) {
    okk_gdma_32bit_matrix_S2L(there, a->in + half * 120, 16, 30, 7, 60);
    okk_gdma_32bit_matrix_S2L(8192, a->in2 + half * 3600, 30, 30, 8, 30);
    okk_bdc_matmul(65536, there, 8192, 40000 / 128 * 128, 16, 30, 30, 7, 8, half == 0, half == 1);
  }
  okk_gdma_32bit_matrix_L2S(a->out, 65536, 16, 30, 8, 30);
  okk_poll();
}
KERNEL(product_in_two_halves)

// int16 in words of two: 3 batches make two words, the dummy half is not stored.
// SILENT
// RUN in=12288 out=12288
void dummy_half_of_a_word(const void* args) {
  const args_t* a = args;
  const dim4 three = {3, 64, 4, 8}, one = {1, 64, 32, 1}, halves = {0, 64, 2, 1};
  okk_initialize();
  for (int n = 0; n < 3; ++n)
    okk_gdma_16bit_cpy_S2L(n / 2 * 128 + n % 2 * 2, a->in + n * 4096, &one, &halves, 0);
  okk_bdc_fixed_point_packed_add_C(4096, 0, 1, &three, 0, 0, S16_OP_S16_TO_S16, 0);
  for (int n = 0; n < 3; ++n)
    okk_gdma_16bit_cpy_L2S(a->out + n * 4096, 4096 + n / 2 * 128 + n % 2 * 2, &one, 0, &halves);
  okk_poll();
}
KERNEL(dummy_half_of_a_word)

// DTCM as scratch, the address of its start asked for.
// SILENT
// RUN in=4096 out=4096
void through_dtcm(const void* args) {
  const args_t* a = args;
  const dim4 page = {1, 64, 1, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2S(okk_dtcm_start_addr(), a->in, &page, 0, 0);
  okk_poll();
  float* const scratch = (float*)okk_dtcm_addr(okk_dtcm_start_addr());
  for (int i = 0; i < 1024; ++i) scratch[i] += 1.0f;
  okk_gdma_32bit_cpy_S2S(a->out, okk_dtcm_start_addr(), &page, 0, 0);
  okk_poll();
}
KERNEL(through_dtcm)
