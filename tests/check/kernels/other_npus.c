// The copy fills NPUs 32..63, the computation works on NPUs 0..31 at the same offsets.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16}, half = {1, 32, 16, 16};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(32 * okk_local_mem_size_per_npu(), a->input, &half, 0, 0);
  okk_bdc_add_C(0, 0, 1.0f, &half, 0, 0);
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
