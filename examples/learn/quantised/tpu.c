#include "args.h"
#include "tpu_kernel.h"

// One function does it all: sum of products, bias, shift with rounding, saturation.
void quantised(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 input = {.n = a->n, .c = a->ic, .h = a->h, .w = a->w},
             output = {.n = a->n, .c = a->oc, .h = a->h, .w = a->w},
             bias = {.n = 1, .c = a->oc, .h = 1, .w = 1};
  // 64IC: to the copy the weights of an output channel are a row of bytes.
  const dim4 weight = {.n = 1, .c = a->oc, .h = 1, .w = DIV_UP(a->ic, 64) * 3 * 3 * 64};
  const int bank = tpu_local_mem_size_per_npu() / tpu_bank_num();
  const local_addr_t input_at = 0, weight_at = 4 * bank, bias_at = 6 * bank, output_at = 8 * bank;
  const padding_t border = {.top = 1, .bottom = 1, .left = 1, .right = 1};
  const dim2 kernel = {.h = 3, .w = 3}, one = {.h = 1, .w = 1};

  tpu_initialize();
  tpu_gdma_cpy_S2L(input_at, a->input_addr, &input, NULL, NULL, DT_INT8);
  tpu_gdma_compact_S2L(weight_at, a->weight_addr, &weight, DT_INT8);
  tpu_gdma_compact_S2L(bias_at, a->bias_addr, &bias, DT_INT16);
  tpu_bdc_int8_sym_quant_conv2d(output_at, input_at, weight_at, bias_at, &input, NULL, a->oc,
                                &kernel, &border, &one, &one, DT_INT8, DT_INT8, DT_INT8, DT_INT16,
                                a->rshift, true, false);
  tpu_gdma_cpy_L2S(a->output_addr, output_at, &output, NULL, NULL, DT_INT8);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(quantised)
