// int8 matrix product with a zero point, requantised to int8.
//
// Rows lie on NPUs: row r of a matrix is channel r of a tensor. Both matrices and the 32-bit sums
// stay in local memory together.
#include "matmul.h"

#include "tpu_kernel.h"

void matmul(const void* args) {
  const matmul_args* p = (const matmul_args*)args;
  const dim4 left = {.n = 1, .c = p->rows, .h = 1, .w = p->inner};
  const dim4 right = {.n = 1, .c = p->inner, .h = 1, .w = p->cols};
  const dim4 output = {.n = 1, .c = p->rows, .h = 1, .w = p->cols};
  const local_addr_t left_at = 0;
  const local_addr_t right_at = left_at + tpu_get_local_size(&left, DT_INT8, 0, true);
  const local_addr_t sum_at = right_at + tpu_get_local_size(&right, DT_INT8, 0, true);
  const local_addr_t output_at = sum_at + tpu_get_local_size(&output, DT_INT32, 0, true);
  TPUKERNEL_ASSERT(output_at + tpu_get_local_size(&output, DT_INT8, 0, true) <=
                   (unsigned)LOCAL_MEM_SIZE);
  const scalar_t zero = {.s8 = (char)p->right_zero}, offset = {.s16 = (short)p->offset};

  tpu_initialize();
  tpu_gdma_cpy_S2L(left_at, p->left_addr, &left, NULL, NULL, DT_INT8);
  tpu_gdma_cpy_S2L(right_at, p->right_addr, &right, NULL, NULL, DT_INT8);
  tpu_bdc_int8_zp_mm(sum_at, left_at, right_at, zero, p->rows, p->inner, p->cols, DT_INT8, DT_INT8,
                     false);
  tpu_bdc_int_requant(output_at, sum_at, &output, p->multiplier, (char)-p->shift, offset, DT_INT8,
                      DT_INT32, RM_HALF_AWAY_FROM_ZERO);
  tpu_gdma_cpy_L2S(p->output_addr, output_at, &output, NULL, NULL, DT_INT8);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(matmul)
