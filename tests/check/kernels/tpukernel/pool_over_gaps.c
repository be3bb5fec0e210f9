// 35 elements per channel lie in rows of 48: pooling, convolution and products are computed on the
// gaps too, only what comes of the elements is stored.
// expect nothing
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

enum { kIn = 0, kOut = 4096, kLeft = 8192, kRight = 12288, kAll = 16384 };

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16}, few = {4, 64, 35, 1}, four = {1, 64, 4, 48};
  const dim4 valid = {1, 64, 35, 1}, left = {1, 5, 1, 16}, right = {1, 16, 1, 20};
  const dim4 product = {1, 5, 1, 20};
  const dim4 apart = {48, 192, 1, 1}, system = {2240, 35, 1, 1};
  const dim2 high = {4, 1}, one = {1, 1};
  const padding_t none = {0, 0, 0, 0};
  const scalar_t low = {.u32 = 0xff7fffff}, unit = {.f32 = 1};
  tpu_gdma_cpy_S2L(kAll, a->input, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, kAll, &all, NULL, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_gdma_cpy_S2L(kIn, a->input, &few, &apart, &system, DT_FP32);
  tpu_parallel_end();
  tpu_parallel_start();
  tpu_bdc_fp_max_pool2d(kOut, kIn, &four, &high, &none, &one, &one, DT_FP32, low);
  tpu_gdma_cpy_S2L(kAll, a->input, &all, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_gdma_cpy_L2S(a->output, kOut, &valid, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(kOut, kIn, &four, &high, &none, &one, &one, DT_FP32, unit);
  tpu_gdma_cpy_L2S(a->output + 16384, kOut, &valid, NULL, NULL, DT_FP32);
  tpu_bdc_fp_conv2d_kernel_const(kOut, kIn, 0, unit, &four, NULL, 64, &high, &none, &one, &one,
                                 DT_FP32, DT_FP32, false, false);
  tpu_gdma_cpy_L2S(a->output + 32768, kOut, &valid, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(kLeft, a->input, &left, NULL, NULL, DT_FP16);
  tpu_gdma_cpy_S2L(kRight, a->input, &right, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mm(kOut, kLeft, kRight, 8, 16, 32, DT_FP16, DT_FP16, false);
  tpu_gdma_cpy_L2S(a->output + 49152, kOut, &product, NULL, NULL, DT_FP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
