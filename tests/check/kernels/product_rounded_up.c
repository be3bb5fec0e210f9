// 5 of 8 rows and 100 of 128 columns are loaded; the product is computed on all, that of what was
// loaded is stored.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16};
  okk_gdma_32bit_cpy_S2L(65536, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 65536, &all, 0, 0);
  okk_parallel_start();
  okk_gdma_32bit_matrix_S2L(0, a->input, 5, 32, 32, 32);
  okk_parallel_end();
  okk_parallel_start();
  okk_gdma_32bit_matrix_S2L(8192, a->input, 32, 100, 2, 100);
  okk_parallel_end();
  okk_parallel_start();
  okk_bdc_matmul(16384, 0, 8192, 0, 8, 32, 128, 32, 2, false, false);
  okk_gdma_32bit_matrix_S2L(4096, a->input, 5, 32, 32, 32);
  okk_parallel_end();
  okk_gdma_32bit_matrix_L2S(a->output, 16384, 5, 100, 2, 100);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
