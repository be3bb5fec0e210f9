// The pointer is taken before the copy is issued, and read after the poll; another tile's copy
// is in flight beside the bytes that the processor looks at.
//
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  dim4 all = {1, 64, 16, 16};
  okk_initialize();
  volatile float* const tile = (volatile float*)okk_local_mem_addr(0, 0);
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_poll();
  okk_gdma_32bit_cpy_S2L(1024, a->input, &all, 0, 0);
  const float last = tile[255];
  tile[0] = last;
  okk_poll();
  okk_bdc_add_C(1024, 0, last, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
