// As compilers write kernels: tensors as structs, statements under the lines of their source.
#include "ppl_helper.h"

void main(global_addr_t v1, global_addr_t v2, int count, float factor) {
#line 5 "scale.py"
  __ppl_tensor_info v3 = {
      .shape = {1, 1, 1, count}, .addr = v1, .dtype = DT_FP32, .default_stride = true};
  __ppl_tensor_info v4 = {
      .shape = {1, 1, 1, count}, .addr = v2, .dtype = DT_FP32, .default_stride = true};
#line 7 "scale.py"
  __ppl_tensor_info block = {
      .shape = {1, 1, 1, count}, .addr = 0, .dtype = DT_FP32, .default_stride = true};
#ifndef DEFECT
#line 8 "scale.py"
  tpu_gdma_cpy_S2L(block.addr, v4.addr, &block.shape, NULL, NULL, block.dtype);
#endif
#line 9 "scale.py"
  tpu_bdc_fp_mul_C(block.addr, block.addr, (scalar_t){.f32 = factor}, &block.shape, NULL, NULL,
                   __ppl_get_dtype(0));
#line 10 "scale.py"
  tpu_gdma_cpy_L2S(v3.addr, block.addr, &block.shape, NULL, NULL, block.dtype);
}

#pragma pack(push, 1)
typedef struct {
  global_addr_t output, input;
  int count;
  float factor;
} tpu_kernel_api_scale_t;
#pragma pack(pop)
int scale(const void* args) {
  tpu_kernel_api_scale_t* api = (tpu_kernel_api_scale_t*)args;
  tpu_initialize();
  main(api->output, api->input, api->count, api->factor);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(scale)
