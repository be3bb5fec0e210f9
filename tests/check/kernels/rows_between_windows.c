// Rows that no window reaches are not loaded: the last one of a depthwise convolution with stride
// 2, every second one of a 1x1 convolution, those between the windows of a pooling.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

enum { kIn = 0, kOdd = 1024, kThirds = 2048, kWeight = 4096, kOut = 8192, kAll = 16384 };

// All rows but every `missing`-th one.
static void load_rows(local_addr_t to, system_addr_t input, int rows, int missing) {
  dim4 in = {1, 64, rows, 4}, one = {1, 64, 1, 4}, local, global;
  okk_128_byte_aligned_stride_for_32bit(&local, 0, &in);
  okk_continuous_stride(&global, &in);
  for (int h = 0; h < rows; ++h) {
    if (h % missing == missing - 1) continue;
    okk_gdma_32bit_cpy_S2L(to + 16 * h, input + 16 * h, &one, &local, &global);
  }
}

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16}, nine = {1, 64, 3, 3}, pairs = {1, 64, 1, 64};
  dim4 compact, kernel_stride = {1, 32, 1, 1};
  dim2 one = {1, 1}, two = {2, 2}, three = {3, 1};
  Padding top = {1, 0, 1, 1};
  okk_gdma_32bit_cpy_S2L(kAll, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, kAll, &all, 0, 0);

  load_rows(kIn, a->input, 5, 5);  // windows of rows -1..1 and 1..3
  dim4 in = {1, 64, 5, 4}, out = {1, 64, 2, 2};
  okk_compact_stride(&compact, 0, &nine);
  okk_gdma_32bit_cpy_S2L(kWeight, a->input, &nine, &compact, 0);
  okk_bdc_depthwise2d(kOut, kIn, kWeight, 0, &in, 3, 3, false, &top, &two, &one);
  okk_gdma_32bit_cpy_L2S(a->output, kOut, &out, 0, 0);

  okk_gdma_32bit_cpy_S2L(kWeight, a->input, &pairs, 0, 0);
  dim4 six = {1, 64, 6, 4}, odd = {1, 64, 3, 2};
  load_rows(kOdd, a->input, 6, 2);
  okk_bdc_conv2d(kOut, kOdd, kWeight, 0, &six, 64, 1, 1, 0, &kernel_stride, false, false, 0, &two,
                 &one);
  okk_gdma_32bit_cpy_L2S(a->output + 4096, kOut, &odd, 0, 0);

  dim4 pooled = {1, 64, 2, 4};
  load_rows(kThirds, a->input, 6, 3);
  okk_bdc_max_pool2d(kOut, kThirds, &six, 2, 1, 0, &three);
  okk_gdma_32bit_cpy_L2S(a->output + 8192, kOut, &pooled, 0, 0);
  okk_bdc_avg_pool2d(kOut, kThirds, &six, 2, 1, 0, &three);
  okk_gdma_32bit_cpy_L2S(a->output + 12288, kOut, &pooled, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
