#include "okk.h"
#include "args.h"

// output = input + 1, part by part, with both engines at work.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  // Part i of p->n: as many channels as there are NPUs, p->w elements each.
  const dim4 shape = {.n = 1, .c = okk_npu_num(), .h = 1, .w = p->w};
  const unsigned long long bytes = 4ull * shape.c * shape.w;
  const int bank = (int)okk_local_mem_size_per_npu() / 8;
  const local_addr_t input[2] = {0, 0}, output[2] = {2 * bank, 3 * bank};

  okk_initialize();
  for (int step = 0; step < p->n + 2; ++step) {
    const int in = step, now = step - 1, out = step - 2;
    okk_parallel_start();
    if (in < p->n) okk_gdma_32bit_cpy_S2L(input[in % 2], p->input_addr + in * bytes, &shape, 0, 0);
    if (now >= 0 && now < p->n) okk_bdc_add_C(output[now % 2], input[now % 2], 1.0f, &shape, 0, 0);
    if (out >= 0)
      okk_gdma_32bit_cpy_L2S(p->output_addr + out * bytes, output[out % 2], &shape, 0, 0);
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(exercise)
