// A tensor is loaded, some of its channels are loaded again from elsewhere: meant, and no error.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16}, few = {1, 4, 16, 16};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_S2L(60 * okk_local_mem_size_per_npu(), a->input, &few, 0, 0);
  okk_bdc_add_C(1024, 0, 1.0f, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
