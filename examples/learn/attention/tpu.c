#include "args.h"
#include "tpu_kernel.h"

// Rows of scores become probabilities: exp(x - largest), divided by their sum.
static void softmax(local_addr_t scores, local_addr_t work, local_addr_t work2, local_addr_t number,
                    local_addr_t coefficients, const dim4* shape) {
  const dim4 single = {.n = 1, .c = shape->c, .h = 1, .w = 1};
  dim4 spread;  // the stride of one element that stands for a row
  tpu_aligned_stride(&spread, 0, &single, DT_FP32);
  spread.h = spread.w = 0;
  const padding_t none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1}, whole = {.h = 1, .w = shape->w};
  const scalar_t lowest = {.u32 = FP_NEG_MAX(DT_FP32)}, factor = {.f32 = 1.0f};
  tpu_bdc_fp_max_pool2d(number, scores, shape, &whole, &none, &one, &one, DT_FP32, lowest);
  tpu_bdc_fp_sub(scores, scores, number, shape, NULL, NULL, &spread, DT_FP32);
  tpu_bdc_fp_exp(scores, scores, work, work2, coefficients, shape, DT_FP32);
  tpu_bdc_fp_avg_pool2d(number, scores, shape, &whole, &none, &one, &one, DT_FP32, factor);
  tpu_bdc_fp32_reciprocal(number, number, &single, NULL, NULL);
  tpu_bdc_fp_mul(scores, scores, number, shape, NULL, NULL, &spread, DT_FP32);
}

// output = softmax(scale * query * key^T) * value, head by head, as many queries at a time as there
// are NPUs. Both products are taken transposed, so that a query is a column and has an NPU of its
// own: scores^T = key * query^T, output^T = value^T * probabilities^T.
void attention(const void* args) {
  const args_t* p = (const args_t*)args;
  const int keys = p->keys, dim = p->dim, npus = tpu_npu_num();
  const int width = (dim + npus - 1) / npus, groups = (keys + npus - 1) / npus;
  // A row of a matrix takes 64 bytes of an NPU, of value^T one for every 64 keys.
  const int row = 64, line = (keys * (int)sizeof(float) + row - 1) / row * row;
  const local_addr_t key = 0, query = key + keys * row, columns = query + dim * row,
                     rows = columns + keys * row, work = rows + line, work2 = work + line,
                     coefficients = work2 + line, number = coefficients + 64, value = number + row,
                     output = value + dim * groups * row;
  const scalar_t scale = {.f32 = p->scale};
  TPUKERNEL_ASSERT((int)output + dim * row <= tpu_local_mem_size_per_npu());

  tpu_initialize();
  tpu_bdc_load_fp_exp_coeff(coefficients, DT_FP32);
  for (int head = 0; head < p->heads; ++head) {
    const unsigned long long of_keys = 4ull * head * keys * dim;
    // value^T: a row for every dimension, a channel for every key.
    const dim4 value_shape = {.n = dim, .c = keys, .h = 1, .w = 1},
               by_column = {.n = 1, .c = dim, .h = 1, .w = 1};
    tpu_gdma_matrix_S2L(key, p->key_addr + of_keys, keys, dim, width, dim, DT_FP32);
    tpu_gdma_cpy_S2L(value, p->value_addr + of_keys, &value_shape, NULL, &by_column, DT_FP32);
    for (int first = 0; first < p->queries; first += npus) {
      const int count = p->queries - first < npus ? p->queries - first : npus;
      const unsigned long long at = 4ull * (head * p->queries + first) * dim;
      const dim4 dims = {.n = dim, .c = count, .h = 1, .w = 1},
                 shape = {.n = 1, .c = count, .h = 1, .w = keys},
                 column = {.n = 1, .c = count, .h = keys, .w = 1};
      const dim4 upright = {.n = 1, .c = 1, .h = row / 4, .w = 1},  // below one another
          lying = {.n = 1, .c = 1, .h = 1, .w = 1};                 // side by side

      tpu_gdma_cpy_S2L(query, p->query_addr + at, &dims, NULL, &by_column, DT_FP32);
      tpu_bdc_fp32_mm(columns, key, query, 0, keys, dim, count, width, 1, false, false);
      tpu_gdma_cpy_L2L(rows, columns, &column, &lying, &upright, DT_FP32);
      tpu_bdc_fp_mul_C(rows, rows, scale, &shape, NULL, NULL, DT_FP32);
      softmax(rows, work, work2, number, coefficients, &shape);
      tpu_gdma_cpy_L2L(columns, rows, &column, &upright, &lying, DT_FP32);
      tpu_bdc_fp32_mm(output, value, columns, 0, dim, keys, count, 1, 1, false, false);
      tpu_gdma_cpy_L2S(p->output_addr + at, output, &dims, &by_column, NULL, DT_FP32);
    }
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(attention)
