// What the kernels over several cores share. Argument `broken` says which mistake the kernel makes;
// 0: none. Lines that findings are to name have marks: // @name
#ifndef CORES_H_
#define CORES_H_

#include "tpu_kernel.h"

typedef struct {
  unsigned long long out, in, in2, in3;
  int n, broken;
} cores_args;

// Rows on NPUs: `rows` x `cols` as a tensor.
static inline dim4 matrix(int rows, int cols) {
  const dim4 shape = {.n = 1, .c = rows, .h = 1, .w = cols};
  return shape;
}

// A column that stands for a row: one value per NPU, wherever it is read.
static inline dim4 column_stride(int rows) {
  const dim4 single = matrix(rows, 1);
  dim4 stride;
  tpu_aligned_stride(&stride, 0, &single, DT_FP32);
  stride.h = stride.w = 0;
  return stride;
}

// The largest and the sum of each row of fp32.
static inline void row_max(local_addr_t result, local_addr_t rows, int count, int cols) {
  const dim4 shape = matrix(count, cols);
  const dim2 whole = {1, cols}, one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t least = {.f32 = -3e38f};
  tpu_bdc_fp_max_pool2d(result, rows, &shape, &whole, &none, &one, &one, DT_FP32, least);
}
static inline void row_sum(local_addr_t result, local_addr_t rows, int count, int cols) {
  const dim4 shape = matrix(count, cols);
  const dim2 whole = {1, cols}, one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t scale = {.f32 = 1};
  tpu_bdc_fp_avg_pool2d(result, rows, &shape, &whole, &none, &one, &one, DT_FP32, scale);
}

// exp(values - column), in place; `work` has room for coefficients, a table and two tensors.
static inline void exp_minus(local_addr_t values, local_addr_t column, local_addr_t work, int rows,
                             int cols) {
  const dim4 shape = matrix(rows, cols), stride = column_stride(rows);
  const local_addr_t coefficients = work, table = work + 1024, work0 = work + 4096,
                     work1 = work + 8192;
  tpu_bdc_load_fp32_exp_coeff(coefficients);
  tpu_bdc_load_fp32_exp_table(table);
  tpu_bdc_fp_sub(values, values, column, &shape, NULL, NULL, &stride, DT_FP32);
  tpu_bdc_fp32_exp(values, values, work0, work1, coefficients, table, &shape);
}

#endif  // CORES_H_
