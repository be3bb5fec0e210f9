// The host packs input and output; the kernel reads a shape behind them.
// expect TL-ARGS-010 read
// notes the launch passes 16 bytes, the kernel reads args_t of 32 (short_arguments.c:7)
// repair launch with the size of the struct that the kernel reads
#include "okk.h"

typedef struct {
  system_addr_t input, output;
  dim4 shape;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  const dim4 shape = a->shape;  // @read
  okk_gdma_32bit_cpy_S2L(0, a->input, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
