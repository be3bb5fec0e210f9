// More channels than the document allows, and pooled all the same, as on the vendor's model: the
// host reads 8,192 results, so that a refused call would be a second finding.
// expect TL-ARGS-001 call
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 pairs = {1, 8192, 1, 2}, single = {1, 8192, 1, 1};
  okk_gdma_32bit_cpy_S2L(0, a->input, &pairs, 0, 0);
  okk_bdc_avg_pool2d(16384, 0, &pairs, 1, 2, 0, 0);  // @call
  okk_gdma_32bit_cpy_L2S(a->output, 16384, &single, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output + 32768, 16384, &single, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
