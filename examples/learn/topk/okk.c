#include "okk.h"
#include "args.h"

// The k largest elements of every row and where they stand, one round for each. Equal elements keep
// their order: of those that are as large as the largest, the one with the highest rank comes
// first, and ranks fall along a row.
void topk(const void* args) {
  const args_t* p = (const args_t*)args;
  const int npus = okk_npu_num(), line = (p->cols * (int)sizeof(float) + 127) / 128 * 128,
            few = (p->k * (int)sizeof(float) + 127) / 128 * 128;
  const local_addr_t x = 0, rank = x + line, left = rank + line, largest = left + line,
                     best = largest + 128, values = best + 128, indices = values + few;
  OKKERNEL_ASSERT(p->k <= p->cols && indices + few <= okk_local_mem_size_per_npu());
  const Padding none = {0, 0, 0, 0};
  const dim2 one = {.h = 1, .w = 1};
  const x32 unit = {.fp32 = 1};
  const dim4 same = {.n = 0, .c = 0, .h = 0, .w = 1};  // one row of ranks for all rows

  okk_initialize();
  for (int row = 0; row < p->rows; row += npus) {
    const int count = p->rows - row < npus ? p->rows - row : npus;
    const dim4 shape = {.n = 1, .c = count, .h = 1, .w = p->cols},
               single = {.n = 1, .c = count, .h = 1, .w = 1},
               result = {.n = 1, .c = count, .h = 1, .w = p->k};
    dim4 spread, column;  // one element for a row; one column of the results
    okk_128_byte_aligned_stride_for_32bit(&spread, 0, &single);
    okk_128_byte_aligned_stride_for_32bit(&column, 0, &result);
    spread.h = spread.w = 0;
    okk_gdma_32bit_cpy_S2L(x, p->input_addr + 4ull * row * p->cols, &shape, 0, 0);
    okk_gdma_32bit_cpy_S2L(rank, p->ranks_addr, &shape, 0, &same);
    for (int i = 0; i < p->k; ++i) {
      okk_bdc_max_pool2d(largest, x, &shape, 1, p->cols, &none, &one);
      okk_bdc_add_C(values + 4 * i, largest, 0, &single, &column, 0);
      // The ranks of those that are as large, 0 for the others.
      okk_bdc_equal_select_value(left, x, largest, unit, &shape, 0, 0, &spread);
      okk_bdc_mul(left, left, rank, &shape, 0, 0, 0);
      okk_bdc_max_pool2d(best, left, &shape, 1, p->cols, &none, &one);
      okk_bdc_C_sub(indices + 4 * i, best, (float)p->cols, &single, &column, 0);
      // It is taken out of the rows: nothing is smaller than -FLT_MAX.
      okk_bdc_equal_select_value(left, rank, best, unit, &shape, 0, 0, &spread);
      okk_bdc_mul_C(left, left, -3.4028234e38f, &shape, 0, 0);
      okk_bdc_add(x, x, left, &shape, 0, 0, 0);
    }
    okk_bdc_fp32_to_int32(indices, indices, &result);
    okk_gdma_32bit_cpy_L2S(p->values_addr + 4ull * row * p->k, values, &result, 0, 0);
    okk_gdma_32bit_cpy_L2S(p->indices_addr + 4ull * row * p->k, indices, &result, 0, 0);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(topk)
