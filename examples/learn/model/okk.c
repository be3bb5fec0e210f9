#include "okk.h"
#include "args.h"

void model_conv(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 input = {.n = 1, .c = a->ic, .h = a->h, .w = a->w};
  const dim4 output = {.n = 1, .c = a->oc, .h = a->h, .w = a->w};
  const dim4 pairs = {.n = (a->ic + 1) / 2, .c = a->oc, .h = 3, .w = 3};
  dim4 pair_stride;
  okk_compact_stride(&pair_stride, 0, &pairs);
  // The file has what every NPU is to hold, one NPU after the other: rows, copied as they are.
  const dim4 rows = {.n = 1, .c = (int)okk_npu_num(), .h = 1, .w = 2 * pairs.n * pair_stride.n};
  dim4 row_stride;
  okk_compact_stride(&row_stride, 0, &rows);

  const unsigned int bank = okk_local_mem_size_per_npu() / okk_local_mem_bank_per_npu();
  const local_addr_t input_at = 0, weight_at = bank, output_at = 2 * bank;
  const Padding border = {.top = 1, .bottom = 1, .left = 1, .right = 1};
  const dim2 one = {.h = 1, .w = 1};

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(input_at, a->input_addr, &input, 0, 0);
  okk_gdma_32bit_cpy_S2L(weight_at, a->weight_addr, &rows, &row_stride, 0);
  okk_bdc_conv2d(output_at, input_at, weight_at, 0, &input, a->oc, 3, 3, 0, &pair_stride, false,
                 false, &border, &one, &one);
  okk_gdma_32bit_cpy_L2S(a->output_addr, output_at, &output, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(model_conv)
