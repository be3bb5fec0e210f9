// Columns that were not loaded become channels; those that were are stored.
// expect nothing
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16}, part = {1, 64, 1, 20}, turned = {1, 32, 1, 64};
  const dim4 stored = {1, 20, 1, 64}, flat = {1, 1, 1, 2048}, one = {1, 32, 64, 1};
  tpu_gdma_cpy_S2L(16384, a->input, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 16384, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0, a->input, &part, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_cw_trans_L2L(4096, 0, &turned, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 4096, &stored, NULL, NULL, DT_FP32);
  tpu_gdma_general_cpy_S2L(8192, a->input, &one, &flat, NULL, NULL, DT_FP32);
  tpu_gdma_general_cpy_L2S(a->output + 8192, 4096, &stored, &stored, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
