// No shape at all.
// expect TL-ARGS-001 call
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->input, NULL, 0, 0);  // @call
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
