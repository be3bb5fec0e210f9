// int8 matrix product with a zero point, requantised to int8.
//
// Rows lie on NPUs: row r of a matrix is channel r of a tensor. The right matrix stays in local
// memory. The left one comes and the result goes in blocks of as many rows as there are NPUs: while
// one block is computed, the next is loaded and the one before is stored.
#include "matmul.h"

#include "tpu_kernel.h"

// Block `i` of a matrix of `cols` columns.
static dim4 block(const matmul_args* p, int i, int cols) {
  const dim4 shape = {.n = 1, .c = MIN(NPU_NUM, p->rows - i * NPU_NUM), .h = 1, .w = cols};
  return shape;
}

// Bytes of int8 blocks before block `i`.
static unsigned long long offset(int i, int cols) {
  return (unsigned long long)i * NPU_NUM * cols;
}

void matmul(const void* args) {
  const matmul_args* p = (const matmul_args*)args;
  // Two buffers each for what comes and what goes, in banks of their own.
  const local_addr_t left[2] = {0, BANK_SIZE}, output[2] = {2 * BANK_SIZE, 3 * BANK_SIZE};
  const local_addr_t sum = 4 * BANK_SIZE, right = 8 * BANK_SIZE;
  const dim4 right_shape = {.n = 1, .c = p->inner, .h = 1, .w = p->cols};
  TPUKERNEL_ASSERT(p->inner <= BANK_SIZE && p->cols <= BANK_SIZE);
  TPUKERNEL_ASSERT(right + tpu_get_local_size(&right_shape, DT_INT8, 0, true) <=
                   (unsigned)LOCAL_MEM_SIZE);
  const scalar_t zero = {.s8 = (char)p->right_zero}, shift_to = {.s16 = (short)p->offset};

  tpu_initialize();
  tpu_gdma_cpy_S2L(right, p->right_addr, &right_shape, NULL, NULL, DT_INT8);
  const int blocks = DIV_UP(p->rows, NPU_NUM);
  for (int step = 0; step < blocks + 2; ++step) {
    tpu_parallel_start();
    if (step < blocks) {
      const dim4 shape = block(p, step, p->inner);
      tpu_gdma_cpy_S2L(left[step % 2], p->left_addr + offset(step, p->inner), &shape, NULL, NULL,
                       DT_INT8);
    }
    if (step >= 2) {
      const dim4 shape = block(p, step - 2, p->cols);
      tpu_gdma_cpy_L2S(p->output_addr + offset(step - 2, p->cols), output[step % 2], &shape, NULL,
                       NULL, DT_INT8);
    }
    if (step >= 1 && step <= blocks) {
      const dim4 shape = block(p, step - 1, p->cols);
      tpu_bdc_int8_zp_mm(sum, left[(step - 1) % 2], right, zero, shape.c, p->inner, p->cols,
                         DT_INT8, DT_INT8, false);
      tpu_bdc_int_requant(output[(step - 1) % 2], sum, &shape, p->multiplier, (char)-p->shift,
                          shift_to, DT_INT8, DT_INT32, RM_HALF_AWAY_FROM_ZERO);
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(matmul)
