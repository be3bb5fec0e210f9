// Two launches: the first takes the mean of every row, the second subtracts it from the row. What
// the first leaves in global memory, the second finds there; the host need not read it.
//
// 两次启动：第一次求每行的均值，第二次从行里减去它。第一次留在全局内存里的，第二次在那里取用，host
// 不必读出来。
#include "my_kernel.h"

#include "tpu_kernel.h"

enum { kWidest = 8192 };  // columns of a part 一段的列数

// As many rows as there are NPUs at a time, a row a channel; wide rows piece by piece.
// 每次处理与 NPU 个数相同的行，一行一个通道；宽行逐段处理。
static int least(int a, int b) {
  return a < b ? a : b;
}

void my_kernel_mean(const void* args) {
  const my_kernel_args* a = (const my_kernel_args*)args;
  const int npus = tpu_npu_num();
  const local_addr_t input = 0, part = kWidest * sizeof(float), mean = part + 64;
  const padding_t none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1};
  const scalar_t zero = {.f32 = 0}, factor = {.f32 = 1.0f / (float)a->cols};

  tpu_initialize();
  for (int row = 0; row < a->rows; row += npus) {
    const dim4 single = {.n = 1, .c = least(npus, a->rows - row), .h = 1, .w = 1};
    tpu_bdc_set_C(mean, zero, &single, NULL, DT_FP32);
    for (int col = 0; col < a->cols; col += kWidest) {
      const dim4 shape = {.n = 1, .c = single.c, .h = 1, .w = least(kWidest, a->cols - col)};
      const dim4 rows = {.n = 0, .c = a->cols, .h = 0, .w = 1};  // how they lie in global memory
      const dim2 whole = {.h = 1, .w = shape.w};
      const long long at = (long long)row * a->cols + col;
      tpu_gdma_cpy_S2L(input, a->input_addr + at * sizeof(float), &shape, NULL, &rows, DT_FP32);
      tpu_bdc_fp_avg_pool2d(part, input, &shape, &whole, &none, &one, &one, DT_FP32, factor);
      tpu_bdc_fp_add(mean, mean, part, &single, NULL, NULL, NULL, DT_FP32);
    }
    tpu_gdma_cpy_L2S(a->mean_addr + row * sizeof(float), mean, &single, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(my_kernel_mean)

void my_kernel_subtract(const void* args) {
  const my_kernel_args* a = (const my_kernel_args*)args;
  const int npus = tpu_npu_num();
  const local_addr_t input = 0, mean = kWidest * sizeof(float);

  tpu_initialize();
  for (int row = 0; row < a->rows; row += npus) {
    const dim4 single = {.n = 1, .c = least(npus, a->rows - row), .h = 1, .w = 1};
    dim4 spread;  // the stride of one element that stands for a row 代表整行的单个元素的步长
    tpu_aligned_stride(&spread, 0, &single, DT_FP32);
    spread.h = spread.w = 0;
    tpu_gdma_cpy_S2L(mean, a->mean_addr + row * sizeof(float), &single, NULL, NULL, DT_FP32);
    for (int col = 0; col < a->cols; col += kWidest) {
      const dim4 shape = {.n = 1, .c = single.c, .h = 1, .w = least(kWidest, a->cols - col)};
      const dim4 rows = {.n = 0, .c = a->cols, .h = 0, .w = 1};
      const long long at = ((long long)row * a->cols + col) * sizeof(float);
      tpu_gdma_cpy_S2L(input, a->input_addr + at, &shape, NULL, &rows, DT_FP32);
      tpu_bdc_fp_sub(input, input, mean, &shape, NULL, NULL, &spread, DT_FP32);
      tpu_gdma_cpy_L2S(a->output_addr + at, input, &shape, &rows, NULL, DT_FP32);
    }
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(my_kernel_subtract)
