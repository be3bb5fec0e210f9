#include "okk.h"
#include "args.h"

// Bytes outside, floats inside: the interface has no convolution of bytes. Sums of products of
// bytes are whole numbers below 2^24, which floats hold exactly.
void quantised(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 input = {.n = a->n, .c = a->ic, .h = a->h, .w = a->w},
             output = {.n = a->n, .c = a->oc, .h = a->h, .w = a->w};
  // 4N: to a copy, four images are one of words.
  const dim4 input_words = {.n = (a->n + 3) / 4, .c = a->ic, .h = a->h, .w = a->w},
             output_words = {.n = (a->n + 3) / 4, .c = a->oc, .h = a->h, .w = a->w};
  const dim4 pairs = {.n = (a->ic + 1) / 2, .c = a->oc, .h = 3, .w = 3},  // 2IC, as in lesson 7
      words = {.n = pairs.n, .c = pairs.c, .h = 3, .w = 2 * 3},
             bias = {.n = 1, .c = a->oc, .h = 1, .w = 1};
  dim4 pair_stride, word_stride, bias_stride;
  okk_compact_stride(&pair_stride, 0, &pairs);
  okk_compact_stride(&word_stride, 0, &words);
  okk_compact_stride(&bias_stride, 0, &bias);

  const unsigned int bank = okk_local_mem_size_per_npu() / okk_local_mem_bank_per_npu();
  const local_addr_t bytes = 0, input_at = bank, weight_at = 2 * bank, bias_at = 3 * bank,
                     output_at = 4 * bank, work = 5 * bank;
  const Padding border = {.top = 1, .bottom = 1, .left = 1, .right = 1};
  const dim2 one = {.h = 1, .w = 1};

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(bytes, a->input_addr, &input_words, 0, 0);
  okk_gdma_32bit_cpy_S2L(weight_at, a->weight_addr, &words, &word_stride, 0);
  okk_gdma_32bit_cpy_S2L(bias_at, a->bias_addr, &bias, &bias_stride, 0);
  okk_bdc_4N_int8_to_fp32(input_at, bytes, work, &input, true, true);
  okk_bdc_conv2d(output_at, input_at, weight_at, bias_at, &input, a->oc, 3, 3, 0, &pair_stride,
                 true, false, &border, &one, &one);
  // 128 more is never negative, and a half more, cut, is rounded half up.
  okk_bdc_mul_C(output_at, output_at, 1.0f / (float)(1 << a->rshift), &output, 0, 0);
  okk_bdc_add_C(output_at, output_at, 128.5f, &output, 0, 0);
  okk_bdc_max_C(output_at, output_at, 0.0f, &output, 0, 0);
  okk_bdc_min_C(output_at, output_at, 255.0f, &output, 0, 0);
  okk_bdc_fp32_to_int32(output_at, output_at, &output);
  // Four images become one of words; the sign bits take the 128 away again.
  const dim4 image = {.n = 1, .c = a->oc, .h = a->h, .w = a->w};
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &image);
  for (int n = 0; n < a->n; ++n) {
    const local_addr_t from = output_at + n * stride.n * 4, to = bytes + n / 4 * stride.n * 4;
    const x32 signs = {.u32 = 0x80808080};
    if (n % 4 == 0) {
      okk_bdc_32bit_xor_C(to, from, signs, &image, 0, 0);
    } else {
      okk_bdc_32bit_logical_shift_C(from, from, 8 * (n % 4), &image, 0, 0);
      okk_bdc_32bit_xor(to, to, from, &image, 0, 0, 0);
    }
  }
  okk_gdma_32bit_cpy_L2S(a->output_addr, bytes, &output_words, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(quantised)
