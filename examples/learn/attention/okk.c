#include "okk.h"
#include "args.h"

// Rows of scores become probabilities: exp(x - largest), divided by their sum.
static void softmax(local_addr_t scores, local_addr_t work, local_addr_t work2, local_addr_t number,
                    const dim4* shape) {
  const dim4 single = {.n = 1, .c = shape->c, .h = 1, .w = 1};
  dim4 spread;  // the stride of one element that stands for a row
  okk_128_byte_aligned_stride_for_32bit(&spread, 0, &single);
  spread.h = spread.w = 0;
  const Padding none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1};
  okk_bdc_max_pool2d(number, scores, shape, 1, shape->w, &none, &one);
  okk_bdc_sub(work2, scores, number, shape, 0, 0, &spread);
  okk_bdc_exp(scores, work2, work, shape);
  okk_bdc_avg_pool2d(number, scores, shape, 1, shape->w, &none, &one);
  okk_bdc_mul_C(number, number, (float)shape->w, &single, 0, 0);  // the mean becomes the sum
  okk_bdc_div(scores, scores, number, shape, 0, 0, &spread);
}

// output = softmax(scale * query * key^T) * value, head by head, as many queries at a time as there
// are NPUs. Both products are taken transposed, so that a query is a column and has an NPU of its
// own: scores^T = key * query^T, output^T = value^T * probabilities^T.
void attention(const void* args) {
  const args_t* p = (const args_t*)args;
  const int keys = p->keys, dim = p->dim, npus = okk_npu_num();
  const int width = (dim + npus - 1) / npus, groups = (keys + npus - 1) / npus;
  // A row of a matrix takes 128 bytes of an NPU, of value^T one for every 64 keys.
  const int row = 128, line = (keys * (int)sizeof(float) + row - 1) / row * row;
  const local_addr_t key = 0, query = key + keys * row, columns = query + dim * row,
                     rows = columns + keys * row, work = rows + line, work2 = work + line,
                     number = work2 + line, value = number + row,
                     output = value + dim * groups * row;
  OKKERNEL_ASSERT(output + dim * row <= okk_local_mem_size_per_npu());

  okk_initialize();
  for (int head = 0; head < p->heads; ++head) {
    const unsigned long long of_keys = 4ull * head * keys * dim;
    // value^T: a row for every dimension, a channel for every key.
    const dim4 value_shape = {.n = dim, .c = keys, .h = 1, .w = 1},
               by_column = {.n = 1, .c = dim, .h = 1, .w = 1};
    okk_gdma_32bit_matrix_S2L(key, p->key_addr + of_keys, keys, dim, width, dim);
    okk_gdma_32bit_cpy_S2L(value, p->value_addr + of_keys, &value_shape, 0, &by_column);
    for (int first = 0; first < p->queries; first += npus) {
      const int count = p->queries - first < npus ? p->queries - first : npus;
      const unsigned long long at = 4ull * (head * p->queries + first) * dim;
      const dim4 dims = {.n = dim, .c = count, .h = 1, .w = 1},
                 shape = {.n = 1, .c = count, .h = 1, .w = keys},
                 column = {.n = 1, .c = count, .h = keys, .w = 1};
      const dim4 upright = {.n = 1, .c = 1, .h = row / 4, .w = 1},  // below one another
          lying = {.n = 1, .c = 1, .h = 1, .w = 1};                 // side by side

      okk_gdma_32bit_cpy_S2L(query, p->query_addr + at, &dims, 0, &by_column);
      okk_bdc_matmul(columns, key, query, 0, keys, dim, count, width, 1, false, false);
      okk_gdma_32bit_cpy_L2L(rows, columns, &column, &lying, &upright);
      okk_bdc_mul_C(rows, rows, p->scale, &shape, 0, 0);
      softmax(rows, work, work2, number, &shape);
      okk_gdma_32bit_cpy_L2L(columns, rows, &column, &upright, &lying);
      okk_bdc_matmul(output, value, columns, 0, dim, keys, count, 1, 1, false, false);
      okk_gdma_32bit_cpy_L2S(p->output_addr + at, output, &dims, &by_column, 0);
    }
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(attention)
