#include "okk.h"
#include "args.h"

// output = input + 1. The numbers are right; the clock knows what is slow.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  // Part i of p->n: as many channels as there are NPUs, p->w elements each.
  const dim4 shape = {.n = 1, .c = okk_npu_num(), .h = 1, .w = p->w};
  const unsigned long long bytes = 4ull * shape.c * shape.w;

  okk_initialize();
  for (int i = 0; i < p->n; ++i) {
    okk_gdma_32bit_cpy_S2L(0, p->input_addr + i * bytes, &shape, 0, 0);
    okk_bdc_add_C(0, 0, 1.0f, &shape, 0, 0);
    okk_gdma_32bit_cpy_L2S(p->output_addr + i * bytes, 0, &shape, 0, 0);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(exercise)
