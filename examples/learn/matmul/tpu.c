#include "args.h"
#include "tpu_kernel.h"

// Columns of a matrix for each channel, so that all NPUs have some.
static int spread(int cols) {
  return DIV_UP(cols, tpu_npu_num());
}

void matmul(const void* args) {
  const args_t* a = (const args_t*)args;
  const int left_width = spread(a->inner), right_width = spread(a->cols);
  const int quarter = tpu_local_mem_size_per_npu() / 4;
  const local_addr_t left = 0, right = quarter, output = 2 * quarter;

  tpu_initialize();
  tpu_gdma_matrix_S2L(left, a->left_addr, a->rows, a->inner, left_width, a->inner, DT_FP32);
  tpu_gdma_matrix_S2L(right, a->right_addr, a->inner, a->cols, right_width, a->cols, DT_FP32);
  tpu_bdc_fp32_mm(output, left, right, 0, a->rows, a->inner, a->cols, left_width, right_width,
                  false, false);
  tpu_gdma_matrix_L2S(a->output_addr, output, a->rows, a->cols, right_width, a->cols, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(matmul)
