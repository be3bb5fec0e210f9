// The last tile is forgotten.
// expect TL-COVERAGE-001 store | global memory bytes +49152..+65535
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  for (int tile = 0; tile < 3; ++tile) {
    dim4 part = {1, 16, 16, 16};
    okk_gdma_32bit_cpy_S2L(0, a->input + tile * 16384, &part, 0, 0);   // @store
    okk_gdma_32bit_cpy_L2S(a->output + tile * 16384, 0, &part, 0, 0);  // @store
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
