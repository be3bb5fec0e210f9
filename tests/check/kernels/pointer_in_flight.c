// The processor looks at the first element while the copy is still on its way.
// expect TL-SYNC-006 pointer copy
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);              // @copy
  const float first = *(const float*)okk_local_mem_addr(0, 0);  // @pointer
  okk_bdc_add_C(1024, 0, first, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
