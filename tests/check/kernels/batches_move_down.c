// Every batch goes where the batch before was, which was read by then.
// expect TL-ARGS-007 call
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {4, 64, 8, 8};  // 256 bytes of each batch in an NPU
  okk_gdma_32bit_cpy_S2L(256, a->input, &all, 0, 0);
  okk_bdc_add_C(0, 256, 1.0f, &all, 0, 0);  // @call
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
