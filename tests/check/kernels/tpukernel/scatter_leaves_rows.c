// The scatter writes every second row of the result.
// expect TL-COVERAGE-001 scatter | global memory bytes +64..+127
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_bdc_arithmetic_sequence_bcast(4096, 64, 0, 2, 8);
  tpu_gdma_h_scatter_L2S(a->output, 0, 4096, true, &all, 8, NULL, NULL, NULL, DT_FP32);  // @scatter
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
