// A selection by a mask fills the front of each row; the rest was never written, and is stored.
// expect TL-INIT-001 store select
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16}, row = {1, 64, 1, 32};
  tpu_gdma_cpy_S2L(16384, a->input, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 16384, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->input, &row, NULL, NULL, DT_FP32);
  tpu_bdc_batch_bcast_w_mask_select(4096, 8192, 0, 0, &row, DT_FP32, DT_FP32, false);  // @select
  tpu_gdma_cpy_L2S(a->output, 4096, &row, NULL, NULL, DT_FP32);                        // @store
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
