#include "okk.h"
#include "args.h"

// output = input * input. The numbers are right, and most NPUs idle: the image has few channels.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  // Neighbours do not matter: any shape with as many channels as there are NPUs will do.
  const int npus = okk_npu_num();
  const dim4 shape = {.n = 1, .c = npus, .h = 1, .w = p->n * p->c * p->h * p->w / npus};

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->input_addr, &shape, 0, 0);
  okk_bdc_mul(0, 0, 0, &shape, 0, 0, 0);
  okk_gdma_32bit_cpy_L2S(p->output_addr, 0, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(exercise)
