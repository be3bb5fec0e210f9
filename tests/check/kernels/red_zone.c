// The last row of the result ends 4 bytes behind the allocation.
// expect TL-MEMORY-002 writer | global memory bytes +65536..+65539
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output + 4, 0, &all, 0, 0);  // @writer
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
