// One int8 convolution whose tensors fit local memory together: load, convolve, store.
//
// The weight arrives in 64IC storage: 64 input channels of a kernel position side by side, packed
// by the host. GDMA knows nothing of that; per output channel it is a row of bytes.
#include "conv2d.h"

#include "tpu_kernel.h"

void conv2d(const void* args) {
  const conv2d_args* p = (const conv2d_args*)args;
  const int output_h = (p->h + 2 * p->pad - ((p->kernel_h - 1) * p->dilation + 1)) / p->stride + 1;
  const int output_w = (p->w + 2 * p->pad - ((p->kernel_w - 1) * p->dilation + 1)) / p->stride + 1;
  const dim4 input = {.n = p->n, .c = p->ic, .h = p->h, .w = p->w};
  const dim4 output = {.n = p->n, .c = p->oc, .h = output_h, .w = output_w};
  const int groups = DIV_UP(p->ic, 64);
  const dim4 weight = {.n = 1, .c = p->oc, .h = 1, .w = groups * p->kernel_h * p->kernel_w * 64};
  const dim4 bias = {.n = 1, .c = p->oc, .h = 1, .w = 1};
  const local_addr_t input_at = 0;
  const local_addr_t output_at = input_at + tpu_get_local_size(&input, DT_INT8, 0, true);
  const local_addr_t weight_at = output_at + tpu_get_local_size(&output, DT_INT8, 0, true);
  const local_addr_t bias_at = weight_at + tpu_get_local_size(&weight, DT_INT8, 0, false);
  TPUKERNEL_ASSERT(bias_at + tpu_get_local_size(&bias, DT_INT16, 0, false) <=
                   (unsigned)LOCAL_MEM_SIZE);
  const dim2 kernel = {.h = p->kernel_h, .w = p->kernel_w};
  const dim2 stride = {.h = p->stride, .w = p->stride};
  const dim2 dilation = {.h = p->dilation, .w = p->dilation};
  const padding_t padding = {.top = p->pad, .bottom = p->pad, .left = p->pad, .right = p->pad};

  tpu_initialize();
  tpu_gdma_cpy_S2L(input_at, p->input_addr, &input, NULL, NULL, DT_INT8);
  tpu_gdma_compact_S2L(weight_at, p->weight_addr, &weight, DT_INT8);
  tpu_gdma_compact_S2L(bias_at, p->bias_addr, &bias, DT_INT16);
  tpu_bdc_int8_sym_quant_conv2d(output_at, input_at, weight_at, bias_at, &input, NULL, p->oc,
                                &kernel, &padding, &stride, &dilation, DT_INT8, DT_INT8, DT_INT8,
                                DT_INT16, (unsigned char)p->shift, true, false);
  tpu_gdma_cpy_L2S(p->output_addr, output_at, &output, NULL, NULL, DT_INT8);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(conv2d)
