// Nothing is there to be computed, whoever keeps going.
// run with --keep-going
// expect TL-ARGS-001 call
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 none = {1, 64, 0, 16};
  okk_gdma_32bit_cpy_S2L(0, a->input, &none, 0, 0);  // @call
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
