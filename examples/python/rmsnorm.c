// Root mean square normalisation of the rows of a matrix: x / sqrt(mean(x * x) + epsilon).
#include "tpu_kernel.h"

typedef struct {
  unsigned long long output, input;  // fp32, rows x cols
  int rows, cols;
  float epsilon;
} rmsnorm_args;

void rmsnorm(const void* args) {
  const rmsnorm_args* p = (const rmsnorm_args*)args;
  const int row_bytes = tpu_aligned_feature_size(1, p->cols, DT_FP32);
  const local_addr_t x = 0, square = row_bytes, mean = 2 * row_bytes, scale = mean + 64;
  const dim2 whole_row = {.h = 1, .w = p->cols}, one = {.h = 1, .w = 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t average = {.f32 = 1.0f / (float)p->cols}, epsilon = {.f32 = p->epsilon};

  tpu_initialize();
  for (int row = 0; row < p->rows; row += NPU_NUM) {
    const dim4 shape = {.n = 1, .c = MIN(NPU_NUM, p->rows - row), .h = 1, .w = p->cols};
    const dim4 single = {.n = 1, .c = shape.c, .h = 1, .w = 1};
    dim4 spread;  // the stride of a column that stands for a row
    tpu_aligned_stride(&spread, 0, &single, DT_FP32);
    spread.h = spread.w = 0;
    const unsigned long long at = (unsigned long long)row * p->cols * sizeof(float);

    tpu_gdma_cpy_S2L(x, p->input + at, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_mul(square, x, x, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_bdc_fp_avg_pool2d(mean, square, &shape, &whole_row, &none, &one, &one, DT_FP32, average);
    tpu_bdc_fp_add_C(mean, mean, epsilon, &single, NULL, NULL, DT_FP32);
    tpu_bdc_fp32_rsqrt(scale, mean, &single);
    tpu_bdc_fp_mul(x, x, scale, &shape, NULL, NULL, &spread, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + at, x, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(rmsnorm)
