#include "args.h"
#include "tpu_kernel.h"

// output = output + left * right: p->n x p->c times p->c x p->h, left where the input is.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  const int rows = p->n, inner = p->c, cols = p->h, npus = tpu_npu_num();
  const int left_width = (inner + npus - 1) / npus, right_width = (cols + npus - 1) / npus;
  const int quarter = tpu_local_mem_size_per_npu() / 4;
  const local_addr_t left = 0, right = quarter, output = 2 * quarter;

  tpu_initialize();
  tpu_gdma_matrix_S2L(left, p->input_addr, rows, inner, left_width, inner, DT_FP32);
  tpu_gdma_matrix_S2L(right, p->right_addr, inner, cols, right_width, cols, DT_FP32);
  tpu_gdma_matrix_S2L(output, p->output_addr, rows, cols, right_width, cols, DT_FP32);
  tpu_bdc_fp32_mm(output, left, right, 0, rows, inner, cols, left_width, right_width, false, true);
  tpu_gdma_matrix_L2S(p->output_addr, output, rows, cols, right_width, cols, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(exercise)
