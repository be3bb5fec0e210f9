// One depthwise convolution whose tensors fit local memory together. Weight and bias are
// per-channel data in the compact layout; input and output are 128-byte aligned.
#include "depthwise.h"

#include "okk.h"

static unsigned int bytes(const dim4* shape, const dim4* stride) {
  return (unsigned int)(shape->n * stride->n) * sizeof(float);
}

static unsigned int aligned(unsigned int address) {
  return (address + 127u) / 128u * 128u;
}

void depthwise(const void* args) {
  const depthwise_args* p = (const depthwise_args*)args;
  const int output_h =
      (p->H + p->pad_top + p->pad_bottom - ((p->kernel_h - 1) * p->dilation_h + 1)) / p->stride_h +
      1;
  const int output_w =
      (p->W + p->pad_left + p->pad_right - ((p->kernel_w - 1) * p->dilation_w + 1)) / p->stride_w +
      1;
  dim4 input = {.n = p->N, .c = p->C, .h = p->H, .w = p->W};
  dim4 output = {.n = p->N, .c = p->C, .h = output_h, .w = output_w};
  dim4 weight = {.n = 1, .c = p->C, .h = p->kernel_h, .w = p->kernel_w};
  dim4 bias = {.n = 1, .c = p->C, .h = 1, .w = 1};
  dim4 input_stride, output_stride, weight_stride, bias_stride;
  okk_128_byte_aligned_stride_for_32bit(&input_stride, 0, &input);
  okk_128_byte_aligned_stride_for_32bit(&output_stride, 0, &output);
  okk_compact_stride(&weight_stride, 0, &weight);
  okk_compact_stride(&bias_stride, 0, &bias);

  local_addr_t output_at = 0;
  local_addr_t input_at = output_at + bytes(&output, &output_stride);
  local_addr_t weight_at = input_at + bytes(&input, &input_stride);
  local_addr_t bias_at = aligned(weight_at + bytes(&weight, &weight_stride));
  OKKERNEL_ASSERT(bias_at + bytes(&bias, &bias_stride) <= okk_local_mem_size_per_npu());

  Padding padding = {
      .top = p->pad_top, .bottom = p->pad_bottom, .left = p->pad_left, .right = p->pad_right};
  dim2 stride = {.h = p->stride_h, .w = p->stride_w};
  dim2 dilation = {.h = p->dilation_h, .w = p->dilation_w};

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(input_at, p->input_addr, &input, 0, 0);
  okk_gdma_32bit_cpy_S2L(weight_at, p->weight_addr, &weight, &weight_stride, 0);
  if (p->using_bias) okk_gdma_32bit_cpy_S2L(bias_at, p->bias_addr, &bias, &bias_stride, 0);
  okk_bdc_depthwise2d(output_at, input_at, weight_at, bias_at, &input, p->kernel_h, p->kernel_w,
                      p->using_bias, &padding, &stride, &dilation);
  okk_gdma_32bit_cpy_L2S(p->output_addr, output_at, &output, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(depthwise)
