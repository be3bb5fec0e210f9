// Softmax of the rows of an fp16 matrix, computed in fp32.
//
// Rows lie on NPUs, 64 at a time. The maximum and the sum of a row are poolings over its whole
// width; they come back as one column, which stride 0 along W spreads over the row again.
#include "softmax.h"

#include "tpu_kernel.h"

void softmax(const void* args) {
  const softmax_args* p = (const softmax_args*)args;
  const int row_bytes = tpu_aligned_feature_size(1, p->cols, DT_FP32);
  const local_addr_t half = 0, x = half + row_bytes, work0 = x + row_bytes,
                     work1 = work0 + row_bytes, coefficients = work1 + row_bytes,
                     column = coefficients + tpu_aligned_feature_size(1, 32, DT_FP32),
                     inverse = column + tpu_aligned_feature_size(1, 1, DT_FP32);
  TPUKERNEL_ASSERT(inverse + 64 <= (unsigned)LOCAL_MEM_SIZE);
  const dim2 whole_row = {.h = 1, .w = p->cols}, one = {.h = 1, .w = 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t lowest = {.u32 = FP_NEG_MAX(DT_FP32)}, unit = {.u32 = FP_ONE(DT_FP32)};

  tpu_initialize();
  tpu_bdc_load_fp_exp_coeff(coefficients, DT_FP32);
  for (int row = 0; row < p->rows; row += NPU_NUM) {
    const dim4 shape = {.n = 1, .c = MIN(NPU_NUM, p->rows - row), .h = 1, .w = p->cols};
    const dim4 single = {.n = 1, .c = shape.c, .h = 1, .w = 1};
    dim4 spread;  // the stride of a column that stands for a row
    tpu_aligned_stride(&spread, 0, &single, DT_FP32);
    spread.h = spread.w = 0;
    const unsigned long long at = (unsigned long long)row * p->cols * sizeof(float16);

    tpu_gdma_cpy_S2L(half, p->input_addr + at, &shape, NULL, NULL, DT_FP16);
    tpu_bdc_cast(x, half, &shape, NULL, NULL, DT_FP32, DT_FP16, RM_HALF_TO_EVEN);
    tpu_bdc_fp_max_pool2d(column, x, &shape, &whole_row, &none, &one, &one, DT_FP32, lowest);
    tpu_bdc_fp_sub(x, x, column, &shape, NULL, NULL, &spread, DT_FP32);
    tpu_bdc_fp_exp(x, x, work0, work1, coefficients, &shape, DT_FP32);
    tpu_bdc_fp_avg_pool2d(column, x, &shape, &whole_row, &none, &one, &one, DT_FP32, unit);
    tpu_bdc_fp32_reciprocal(inverse, column, &single, NULL, NULL);
    tpu_bdc_fp_mul(x, x, inverse, &shape, NULL, NULL, &spread, DT_FP32);
    tpu_bdc_cast(half, x, &shape, NULL, NULL, DT_FP16, DT_FP32, RM_HALF_TO_EVEN);
    tpu_gdma_cpy_L2S(p->output_addr + at, half, &shape, NULL, NULL, DT_FP16);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(softmax)
