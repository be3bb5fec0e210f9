// Two launches: the first takes the mean of every row, the second subtracts it from the row. What
// the first leaves in global memory, the second finds there; the host need not read it.
//
// 两次启动：第一次求每行的均值，第二次从行里减去它。第一次留在全局内存里的，第二次在那里取用，host
// 不必读出来。
#include "my_kernel.h"

#include "okk.h"

#ifndef NULL
#define NULL 0
#endif

enum { kWidest = 2047 };  // columns that a pooling takes 池化容许的最大宽度

// As many rows as there are NPUs at a time, a row a channel; wide rows piece by piece.
// 每次处理与 NPU 个数相同的行，一行一个通道；宽行逐段处理。
static int least(int a, int b) {
  return a < b ? a : b;
}

void my_kernel_mean(const void* args) {
  const my_kernel_args* a = (const my_kernel_args*)args;
  const int npus = okk_npu_num();
  const local_addr_t input = 0, part = 8192, mean = part + 128;
  const Padding none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1};
  const x32 zero = {.fp32 = 0};

  okk_initialize();
  for (int row = 0; row < a->rows; row += npus) {
    const dim4 single = {.n = 1, .c = least(npus, a->rows - row), .h = 1, .w = 1};
    okk_bdc_32bit_set_C(mean, zero, &single, NULL);
    for (int col = 0; col < a->cols; col += kWidest) {
      const dim4 shape = {.n = 1, .c = single.c, .h = 1, .w = least(kWidest, a->cols - col)};
      const dim4 rows = {.n = 0, .c = a->cols, .h = 0, .w = 1};  // how they lie in global memory
      const long long at = (long long)row * a->cols + col;
      okk_gdma_32bit_cpy_S2L(input, a->input_addr + at * sizeof(float), &shape, NULL, &rows);
      okk_bdc_avg_pool2d(part, input, &shape, 1, shape.w, &none, &one);
      okk_bdc_mul_C(part, part, (float)shape.w / (float)a->cols, &single, NULL, NULL);
      okk_bdc_add(mean, mean, part, &single, NULL, NULL, NULL);
    }
    okk_gdma_32bit_cpy_L2S(a->mean_addr + row * sizeof(float), mean, &single, NULL, NULL);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(my_kernel_mean)

void my_kernel_subtract(const void* args) {
  const my_kernel_args* a = (const my_kernel_args*)args;
  const int npus = okk_npu_num();
  const local_addr_t input = 0, mean = 8192;

  okk_initialize();
  for (int row = 0; row < a->rows; row += npus) {
    const dim4 single = {.n = 1, .c = least(npus, a->rows - row), .h = 1, .w = 1};
    dim4 spread;  // the stride of one element that stands for a row 代表整行的单个元素的步长
    okk_128_byte_aligned_stride_for_32bit(&spread, 0, &single);
    spread.h = spread.w = 0;
    okk_gdma_32bit_cpy_S2L(mean, a->mean_addr + row * sizeof(float), &single, NULL, NULL);
    for (int col = 0; col < a->cols; col += kWidest) {
      const dim4 shape = {.n = 1, .c = single.c, .h = 1, .w = least(kWidest, a->cols - col)};
      const dim4 rows = {.n = 0, .c = a->cols, .h = 0, .w = 1};
      const long long at = ((long long)row * a->cols + col) * sizeof(float);
      okk_gdma_32bit_cpy_S2L(input, a->input_addr + at, &shape, NULL, &rows);
      okk_bdc_sub(input, input, mean, &shape, NULL, NULL, &spread);
      okk_gdma_32bit_cpy_L2S(a->output_addr + at, input, &shape, &rows, NULL);
    }
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(my_kernel_subtract)
