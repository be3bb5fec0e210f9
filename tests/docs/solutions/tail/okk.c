#include "okk.h"
#include "args.h"

// output = input + 1 for p->w elements: a part that fills all NPUs, and a tail.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  const int npus = okk_npu_num(), whole = p->w / npus * npus, rest = p->w - whole;
  const dim4 part = {.n = 1, .c = npus, .h = 1, .w = whole / npus},
             tail = {.n = 1, .c = rest, .h = 1, .w = 1};

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->input_addr, &part, 0, 0);
  okk_bdc_add_C(0, 0, 1.0f, &part, 0, 0);
  okk_gdma_32bit_cpy_L2S(p->output_addr, 0, &part, 0, 0);
  okk_gdma_32bit_cpy_S2L(0, p->input_addr + 4 * whole, &tail, 0, 0);
  okk_bdc_add_C(0, 0, 1.0f, &tail, 0, 0);
  okk_gdma_32bit_cpy_L2S(p->output_addr + 4 * whole, 0, &tail, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(exercise)
