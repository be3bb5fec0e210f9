// The model refuses so many channels; kept going, they are added.
// run with --keep-going
// expect TL-ARGS-001 call
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 pairs = {1, 8192, 1, 2};
  okk_gdma_32bit_cpy_S2L(0, a->input, &pairs, 0, 0);
  okk_bdc_add_C(0, 0, 1.0f, &pairs, 0, 0);  // @call
  okk_gdma_32bit_cpy_L2S(a->output, 0, &pairs, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
