// Rows of 15 in 16 columns: the gap, which nobody wrote, becomes 120, beyond what exp documents.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 rows = {1, 64, 16, 15}, all = {1, 64, 16, 16};
  dim4 apart = {0, 256, 16, 1};
  okk_gdma_32bit_cpy_S2L(0, a->input, &rows, &apart, 0);
  okk_bdc_mul_C(0, 0, 20.0f, &rows, &apart, &apart);
  okk_bdc_add_C(0, 0, 40.0f, &rows, &apart, &apart);
  okk_bdc_C_sub(0, 0, 120.0f, &all, 0, 0);  // 80 and less where somebody wrote
  okk_bdc_exp(1024, 0, 2048, &all);
  okk_gdma_32bit_cpy_S2S(a->output, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &rows, 0, &apart);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
