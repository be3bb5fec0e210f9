// The GDMA is given a table of the kernel's own.
// expect TL-MEMORY-001 call
// message an address of the host's memory
// repair bm_memcpy_s2d
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

static float table[64];

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  (void)a;
  const dim4 row = {1, 1, 1, 64};
  okk_gdma_32bit_cpy_S2L(0, (system_addr_t)(size_t)table, &row, 0, 0);  // @call
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
