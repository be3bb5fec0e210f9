// Every batch goes where the next one is, which is still to be read.
// expect TL-ARGS-002 call
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {4, 64, 8, 8};  // 256 bytes of each batch in an NPU
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_bdc_add_C(256, 0, 1.0f, &all, 0, 0);  // @call
  okk_gdma_32bit_cpy_L2S(a->output, 256, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
