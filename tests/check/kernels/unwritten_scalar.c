// The processor takes its factor from behind the row that was loaded.
// expect TL-INIT-005 read | local memory NPUs 0..0 offsets 1024..1027
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  dim4 all = {1, 64, 16, 16};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_poll();
  const float* const row = (const float*)okk_local_mem_addr(0, 0);
  const float factor = row[256];  // @read
  okk_bdc_mul_C(0, 0, factor, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
