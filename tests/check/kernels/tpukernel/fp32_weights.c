// Weights of an fp32 convolution that nobody wrote: (1, oc, ic, kh * kw) compact, no groups of 32.
// expect TL-INIT-001 conv | local memory NPUs 0..63 offsets 32768..33023
// says weight_addr: input, shape 64x64x1x1 fp32, 1IC
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 in = {1, 64, 16, 16};
  const dim2 one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  tpu_gdma_cpy_S2L(0, a->input, &in, NULL, NULL, DT_FP32);
  tpu_bdc_fp_conv2d(16384, 0, 32768, 0, &in, NULL, 64, &one, &none, &one, &one,  // @conv
                    DT_FP32, DT_FP32, false, false);
  tpu_gdma_cpy_L2S(a->output, 16384, &in, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
