#include "okk.h"
#include "args.h"

// output = sigmoid(input), one part after the other.
void in_turn(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 shape = {.n = 1, .c = okk_npu_num(), .h = 1, .w = a->width};
  const unsigned long long bytes = 4ull * shape.c * shape.w;
  const unsigned int bank = okk_local_mem_size_per_npu() / okk_local_mem_bank_per_npu();
  const local_addr_t input = 0, output = bank, work = 2 * bank;

  okk_initialize();
  for (int i = 0; i < a->parts; ++i) {
    okk_gdma_32bit_cpy_S2L(input, a->input_addr + i * bytes, &shape, 0, 0);
    okk_bdc_sigmoid_tunable(output, input, work, &shape, 8);
    okk_gdma_32bit_cpy_L2S(a->output_addr + i * bytes, output, &shape, 0, 0);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(in_turn)

// The same: while part i is computed, part i + 1 comes in and part i - 1 goes out.
void pingpong(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 shape = {.n = 1, .c = okk_npu_num(), .h = 1, .w = a->width};
  const unsigned long long bytes = 4ull * shape.c * shape.w;
  const unsigned int bank = okk_local_mem_size_per_npu() / okk_local_mem_bank_per_npu();
  const local_addr_t input[2] = {0, bank}, output[2] = {2 * bank, 3 * bank}, work = 4 * bank;

  okk_initialize();
  for (int step = 0; step < a->parts + 2; ++step) {
    const int in = step, now = step - 1, out = step - 2;
    okk_parallel_start();
    if (in < a->parts)
      okk_gdma_32bit_cpy_S2L(input[in % 2], a->input_addr + in * bytes, &shape, 0, 0);
    if (now >= 0 && now < a->parts)
      okk_bdc_sigmoid_tunable(output[now % 2], input[now % 2], work, &shape, 8);
    if (out >= 0)
      okk_gdma_32bit_cpy_L2S(a->output_addr + out * bytes, output[out % 2], &shape, 0, 0);
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(pingpong)
