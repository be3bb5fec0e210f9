// Three batches of 4N bytes fill three lanes of each word; the fourth, which nobody wrote, is
// stored with them.
//
// expect TL-INIT-001 add lane | local memory NPUs 0..63 offsets 3..3
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 three = {3, 64, 8, 16}, words = {1, 64, 8, 16};
  dim4 all = {1, 64, 16, 16};
  okk_gdma_32bit_cpy_S2L(8192, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 8192, &all, 0, 0);
  dim4 lanes = {0, 512, 4, 1};  // a byte in every word
  for (int n = 0; n < 3; ++n) {
    dim4 one = {1, 64, 128, 1};
    okk_gdma_8bit_cpy_S2L(n, a->input + n * 8192, &one, &lanes, 0);  // @lane
  }
  okk_bdc_fixed_point_packed_add_C(4096, 0, 1, &three, 0, 0, S8_OP_S8_TO_S8, 0);  // @add
  okk_gdma_32bit_cpy_L2S(a->output, 4096, &words, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
