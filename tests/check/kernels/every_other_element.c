// A source W stride of 2: against the document, though the model reads it.
// expect TL-ARGS-006 call
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 half = {1, 64, 16, 8}, every_other = {0, 256, 16, 2};
  okk_gdma_32bit_cpy_S2L(0, a->input, &half, 0, &every_other);  // @call
  okk_gdma_32bit_cpy_L2S(a->output, 0, &half, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output + 32768, 0, &half, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
