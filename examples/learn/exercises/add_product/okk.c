#include "okk.h"
#include "args.h"

// output = output + left * right: p->n x p->c times p->c x p->h, left where the input is.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  const int rows = p->n, inner = p->c, cols = p->h, npus = okk_npu_num();
  const int left_width = (inner + npus - 1) / npus, right_width = (cols + npus - 1) / npus;
  const int quarter = (int)okk_local_mem_size_per_npu() / 4;
  const local_addr_t left = 0, right = quarter, output = 2 * quarter;

  okk_initialize();
  okk_gdma_32bit_matrix_S2L(left, p->input_addr, rows, inner, left_width, inner);
  okk_gdma_32bit_matrix_S2L(right, p->right_addr, inner, cols, right_width, cols);
  // The last argument says whether the product is added to what the output holds.
  okk_bdc_matmul(output, left, right, 0, rows, inner, cols, left_width, right_width, false, false);
  okk_gdma_32bit_matrix_L2S(p->output_addr, output, rows, cols, right_width, cols);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(exercise)
