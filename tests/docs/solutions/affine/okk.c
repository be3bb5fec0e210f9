#include "okk.h"
#include "args.h"

// output = 2 * input + 3.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 shape = {.n = p->n, .c = p->c, .h = p->h, .w = p->w};

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->input_addr, &shape, 0, 0);
  okk_bdc_mul_C(0, 0, 2.0f, &shape, 0, 0);
  okk_bdc_add_C(0, 0, 3.0f, &shape, 0, 0);
  okk_gdma_32bit_cpy_L2S(p->output_addr, 0, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(exercise)
