#include "okk.h"
#include "args.h"

// Columns of a matrix for each channel, so that all NPUs have some.
static int spread(int cols) {
  return (cols + okk_npu_num() - 1) / okk_npu_num();
}

void matmul(const void* args) {
  const args_t* a = (const args_t*)args;
  const int left_width = spread(a->inner), right_width = spread(a->cols);
  const unsigned int quarter = okk_local_mem_size_per_npu() / 4;
  const local_addr_t left = 0, right = quarter, output = 2 * quarter;

  okk_initialize();
  okk_gdma_32bit_matrix_S2L(left, a->left_addr, a->rows, a->inner, left_width, a->inner);
  okk_gdma_32bit_matrix_S2L(right, a->right_addr, a->inner, a->cols, right_width, a->cols);
  okk_bdc_matmul(output, left, right, 0, a->rows, a->inner, a->cols, left_width, right_width, false,
                 false);
  okk_gdma_32bit_matrix_L2S(a->output_addr, output, a->rows, a->cols, right_width, a->cols);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(matmul)
