#include "args.h"
#include "tpu_kernel.h"

// output = input * input. The numbers are right, and most NPUs idle: the image has few channels.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  // Neighbours do not matter: any shape with as many channels as there are NPUs will do.
  const int npus = tpu_npu_num();
  const dim4 shape = {.n = 1, .c = npus, .h = 1, .w = p->n * p->c * p->h * p->w / npus};

  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->input_addr, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_mul(0, 0, 0, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->output_addr, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(exercise)
