// An offset is taken for an address, and something subtracted from it.
// expect TL-MEMORY-001 call
// message which is -64
// repair a difference that goes below zero
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  const dim4 all = {1, 64, 16, 16};
  const system_addr_t offset = a->input - a->input;
  okk_gdma_32bit_cpy_S2L(0, offset - 64, &all, 0, 0);  // @call
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
