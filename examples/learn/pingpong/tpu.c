#include "args.h"
#include "tpu_kernel.h"

// output = sigmoid(input), one part after the other.
void in_turn(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 shape = {.n = 1, .c = tpu_npu_num(), .h = 1, .w = a->width};
  const unsigned long long bytes = 4ull * shape.c * shape.w;
  const int bank = tpu_local_mem_size_per_npu() / tpu_bank_num();
  const local_addr_t input = 0, output = bank;
  const local_addr_t work0 = 4 * bank, work1 = 5 * bank, coeff = 6 * bank, table = 7 * bank;

  tpu_initialize();
  tpu_bdc_load_fp32_exp_coeff(coeff);
  tpu_bdc_load_fp32_exp_table(table);
  for (int i = 0; i < a->parts; ++i) {
    tpu_gdma_cpy_S2L(input, a->input_addr + i * bytes, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp32_sigmoid(output, input, work0, work1, coeff, table, &shape);
    tpu_gdma_cpy_L2S(a->output_addr + i * bytes, output, &shape, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(in_turn)

// The same: while part i is computed, part i + 1 comes in and part i - 1 goes out.
void pingpong(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 shape = {.n = 1, .c = tpu_npu_num(), .h = 1, .w = a->width};
  const unsigned long long bytes = 4ull * shape.c * shape.w;
  const int bank = tpu_local_mem_size_per_npu() / tpu_bank_num();
  const local_addr_t input[2] = {0, bank}, output[2] = {2 * bank, 3 * bank};
  const local_addr_t work0 = 4 * bank, work1 = 5 * bank, coeff = 6 * bank, table = 7 * bank;

  tpu_initialize();
  tpu_bdc_load_fp32_exp_coeff(coeff);
  tpu_bdc_load_fp32_exp_table(table);
  for (int step = 0; step < a->parts + 2; ++step) {
    const int in = step, now = step - 1, out = step - 2;
    tpu_parallel_start();
    if (in < a->parts)
      tpu_gdma_cpy_S2L(input[in % 2], a->input_addr + in * bytes, &shape, NULL, NULL, DT_FP32);
    if (now >= 0 && now < a->parts)
      tpu_bdc_fp32_sigmoid(output[now % 2], input[now % 2], work0, work1, coeff, table, &shape);
    if (out >= 0)
      tpu_gdma_cpy_L2S(a->output_addr + out * bytes, output[out % 2], &shape, NULL, NULL, DT_FP32);
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(pingpong)
