// An address of global memory went through an unsigned int.
// expect TL-MEMORY-001 call
// message the lower 32 bits of 0x1
// repair keep addresses in 64 bits
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  const dim4 all = {1, 64, 16, 16};
  const unsigned input = (unsigned)a->input;
  okk_gdma_32bit_cpy_S2L(0, input, &all, 0, 0);  // @call
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
