// output[row] = the sum of input[row], for any number of rows and columns.
//
// A row is a channel, so that every NPU sums one. A pooling whose window is a whole row, with the
// factor 1, gives its sum; rows wider than a part are summed piece by piece.
//
// 一行就是一个通道，每个 NPU 求一行之和。窗口为整行、系数为 1 的池化得出这一行之和；宽行逐段相加。
#include "my_kernel.h"

#include "tpu_kernel.h"

enum { kWidest = 8192 };  // columns of a part 一段的列数

void my_kernel(const void* args) {
  const my_kernel_args* a = (const my_kernel_args*)args;
  const int npus = tpu_npu_num();
  const local_addr_t input = 0, sum = kWidest * sizeof(float), total = sum + 64;
  const padding_t none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1};
  const scalar_t zero = {.f32 = 0}, factor = {.f32 = 1};

  tpu_initialize();
  for (int row = 0; row < a->rows; row += npus) {
    const int channels = a->rows - row < npus ? a->rows - row : npus;
    const dim4 single = {.n = 1, .c = channels, .h = 1, .w = 1};
    tpu_bdc_set_C(total, zero, &single, NULL, DT_FP32);
    for (int col = 0; col < a->cols; col += kWidest) {
      const int width = a->cols - col < kWidest ? a->cols - col : kWidest;
      const dim4 shape = {.n = 1, .c = channels, .h = 1, .w = width};
      const dim4 rows = {.n = 0, .c = a->cols, .h = 0, .w = 1};  // how they lie in global memory
      const dim2 whole = {.h = 1, .w = width};
      const long long at = (long long)row * a->cols + col;
      tpu_gdma_cpy_S2L(input, a->input_addr + at * sizeof(float), &shape, NULL, &rows, DT_FP32);
      tpu_bdc_fp_avg_pool2d(sum, input, &shape, &whole, &none, &one, &one, DT_FP32, factor);
      tpu_bdc_fp_add(total, total, sum, &single, NULL, NULL, NULL, DT_FP32);
    }
    tpu_gdma_cpy_L2S(a->output_addr + row * sizeof(float), total, &single, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(my_kernel)
