// Layer normalisation of the rows of a matrix: (x - mean) / sqrt(variance + epsilon) * gamma +
// beta.
//
// Rows lie on NPUs, 64 at a time; gamma and beta are loaded once, a copy for every NPU.
#include "layernorm.h"

#include "tpu_kernel.h"

void layernorm(const void* args) {
  const layernorm_args* p = (const layernorm_args*)args;
  const int row_bytes = tpu_aligned_feature_size(1, p->cols, DT_FP32);
  const local_addr_t x = 0, square = x + row_bytes, gamma = square + row_bytes,
                     beta = gamma + row_bytes, mean = beta + row_bytes, scale = mean + 64;
  TPUKERNEL_ASSERT(scale + 64 <= (unsigned)LOCAL_MEM_SIZE);
  const dim2 whole_row = {.h = 1, .w = p->cols}, one = {.h = 1, .w = 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t average = {.f32 = 1.0f / (float)p->cols}, epsilon = {.f32 = p->epsilon};

  tpu_initialize();
  const dim4 copies = {.n = 1, .c = NPU_NUM, .h = 1, .w = p->cols};
  tpu_gdma_channel_bcast_S2L(gamma, p->gamma_addr, &copies, NULL, NULL, DT_FP32);
  tpu_gdma_channel_bcast_S2L(beta, p->beta_addr, &copies, NULL, NULL, DT_FP32);
  for (int row = 0; row < p->rows; row += NPU_NUM) {
    const dim4 shape = {.n = 1, .c = MIN(NPU_NUM, p->rows - row), .h = 1, .w = p->cols};
    const dim4 single = {.n = 1, .c = shape.c, .h = 1, .w = 1};
    dim4 spread;  // the stride of a column that stands for a row
    tpu_aligned_stride(&spread, 0, &single, DT_FP32);
    spread.h = spread.w = 0;
    const unsigned long long at = (unsigned long long)row * p->cols * sizeof(float);

    tpu_gdma_cpy_S2L(x, p->input_addr + at, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_avg_pool2d(mean, x, &shape, &whole_row, &none, &one, &one, DT_FP32, average);
    tpu_bdc_fp_sub(x, x, mean, &shape, NULL, NULL, &spread, DT_FP32);
    tpu_bdc_fp_mul(square, x, x, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_bdc_fp_avg_pool2d(mean, square, &shape, &whole_row, &none, &one, &one, DT_FP32, average);
    tpu_bdc_fp_add_C(mean, mean, epsilon, &single, NULL, NULL, DT_FP32);
    tpu_bdc_fp32_rsqrt(scale, mean, &single);
    tpu_bdc_fp_mul(x, x, scale, &shape, NULL, NULL, &spread, DT_FP32);
    tpu_bdc_fp_mul(x, x, gamma, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_bdc_fp_add(x, x, beta, &shape, NULL, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output_addr + at, x, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(layernorm)
