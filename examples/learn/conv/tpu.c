#include "args.h"
#include "tpu_kernel.h"

void conv(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 input = {.n = 1, .c = a->ic, .h = a->h, .w = a->w};
  const dim4 output = {.n = 1, .c = a->oc, .h = a->h, .w = a->w};
  // 32IC: to the copy the weights of an output channel are a row of elements.
  const dim4 weight = {.n = 1, .c = a->oc, .h = 1, .w = DIV_UP(a->ic, 32) * 3 * 3 * 32};

  const int bank = tpu_local_mem_size_per_npu() / tpu_bank_num();
  const local_addr_t input_at = 0, weight_at = 4 * bank, output_at = 8 * bank;
  const padding_t border = {.top = 1, .bottom = 1, .left = 1, .right = 1};
  const dim2 kernel = {.h = 3, .w = 3}, one = {.h = 1, .w = 1};

  tpu_initialize();
  tpu_gdma_cpy_S2L(input_at, a->input_addr, &input, NULL, NULL, DT_FP16);
  tpu_gdma_compact_S2L(weight_at, a->weight_addr, &weight, DT_FP16);
  tpu_bdc_fp_conv2d(output_at, input_at, weight_at, 0, &input, NULL, a->oc, &kernel, &border, &one,
                    &one, DT_FP32, DT_FP16, false, false);
  tpu_gdma_cpy_L2S(a->output_addr, output_at, &output, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(conv)
