// The convolution adds to an output that nobody set to zero.
// expect TL-INIT-001 conv | local memory NPUs 0..63 offsets 8192..9215
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16}, weight = {1, 64, 1, 64}, rows = {0, 64, 64, 1};
  dim4 kernel_stride = {1, 32, 1, 1};
  dim2 one = {1, 1};
  Padding none = {0, 0, 0, 0};
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_gdma_32bit_cpy_S2L(4096, a->input, &weight, &rows, 0);
  okk_bdc_conv2d(8192, 0, 4096, 0, &all, 64, 1, 1, NULL, &kernel_stride,  // @conv
                 false, true, &none, &one, &one);
  okk_gdma_32bit_cpy_L2S(a->output, 8192, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
