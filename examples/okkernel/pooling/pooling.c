// Average and max pooling of a tensor that fits local memory. The average divides by the window
// size and counts padding as zeros; padding is the smallest float for the maximum.
#include "pooling.h"

#include "okk.h"

static unsigned int bytes(const dim4* shape) {
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, shape);
  return (unsigned int)(shape->n * stride.n) * sizeof(float);
}

void pooling(const void* args) {
  const pooling_args* p = (const pooling_args*)args;
  dim4 input = {.n = p->N, .c = p->C, .h = p->H, .w = p->W};
  dim4 output = input;
  output.h = (p->H + p->pad_top + p->pad_bottom - p->kernel_h) / p->stride_h + 1;
  output.w = (p->W + p->pad_left + p->pad_right - p->kernel_w) / p->stride_w + 1;
  local_addr_t input_at = 0;
  local_addr_t output_at = bytes(&input);
  OKKERNEL_ASSERT(output_at + bytes(&output) <= okk_local_mem_size_per_npu());

  Padding padding = {
      .top = p->pad_top, .bottom = p->pad_bottom, .left = p->pad_left, .right = p->pad_right};
  dim2 stride = {.h = p->stride_h, .w = p->stride_w};

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(input_at, p->input_addr, &input, 0, 0);
  if (p->is_max) {
    okk_bdc_max_pool2d(output_at, input_at, &input, p->kernel_h, p->kernel_w, &padding, &stride);
  } else {
    okk_bdc_avg_pool2d(output_at, input_at, &input, p->kernel_h, p->kernel_w, &padding, &stride);
  }
  okk_gdma_32bit_cpy_L2S(p->output_addr, output_at, &output, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(pooling)
