#include "args.h"
#include "tpu_kernel.h"

// output = every other row of input: its H is 2 * p->h, the rows 0, 2, 4, ... are wanted.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 shape = {.n = p->n, .c = p->c, .h = p->h, .w = p->w};
  // How the wanted rows lie in the input: these strides take the rows one after the other.
  const dim4 from = {.n = p->c * p->h * p->w, .c = p->h * p->w, .h = p->w, .w = 1};

  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->input_addr, &shape, NULL, &from, DT_FP32);
  tpu_gdma_cpy_L2S(p->output_addr, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(exercise)
