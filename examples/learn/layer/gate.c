// The columns of a row are spread over all NPUs, so that one token keeps them as busy as many do.
#include "layer.h"

#ifndef GATE_ROWS
#define GATE_ROWS 16  // at a time
#endif

void gate(const void* args) {
  const gate_args* p = (const gate_args*)args;
  const local_addr_t gates[2] = {bank(0), bank(1)}, ups[2] = {bank(2), bank(3)},
                     output[2] = {bank(4), bank(5)};
  const local_addr_t x = bank(6), y = bank(7), work = bank(8), work2 = bank(9),
                     coefficients = bank(10), table = bank(11);
  const int width = p->cols / NPU_NUM, blocks = DIV_UP(p->rows, GATE_ROWS);
  const dim4 most = {.n = GATE_ROWS, .c = NPU_NUM, .h = 1, .w = width};
  TPUKERNEL_ASSERT(p->cols % NPU_NUM == 0);
  TPUKERNEL_ASSERT(tpu_get_local_size(&most, DT_FP32, 0, true) <= BANK_SIZE);
  const dim4 inside = {.n = 2 * p->cols, .c = width, .h = width, .w = 1};  // of input

  tpu_initialize();
  tpu_bdc_load_fp32_exp_coeff(coefficients);
  tpu_bdc_load_fp32_exp_table(table);
  for (int step = 0; step < blocks + 2; ++step) {
    tpu_parallel_start();
    for (int stage = 0; stage < 3; ++stage) {
      const int block = step - stage, first = block * GATE_ROWS, side = block & 1;
      if (block < 0 || block >= blocks) continue;
      const dim4 shape = {.n = MIN(GATE_ROWS, p->rows - first), .c = NPU_NUM, .h = 1, .w = width};
      if (stage == 0) {
        const address at = p->input + 4ull * first * p->cols;
        tpu_gdma_cpy_S2L(gates[side], at, &shape, NULL, &inside, TYPE);
        tpu_gdma_cpy_S2L(ups[side], at + 2ull * p->cols, &shape, NULL, &inside, TYPE);
      } else if (stage == 1) {
        tpu_bdc_cast(x, gates[side], &shape, NULL, NULL, DT_FP32, TYPE, RM_HALF_TO_EVEN);
        tpu_bdc_fp32_silu(y, x, work, work2, coefficients, table, &shape);
        tpu_bdc_cast(x, ups[side], &shape, NULL, NULL, DT_FP32, TYPE, RM_HALF_TO_EVEN);
        tpu_bdc_fp_mul(x, x, y, &shape, NULL, NULL, NULL, DT_FP32);
        tpu_bdc_cast(output[side], x, &shape, NULL, NULL, TYPE, DT_FP32, RM_HALF_TO_EVEN);
      } else {
        tpu_gdma_cpy_L2S(p->output + 2ull * first * p->cols, output[side], &shape, NULL, NULL,
                         TYPE);
      }
    }
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(gate)
