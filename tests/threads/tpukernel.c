// Operands that stand in each other's place, on the BM1684X.
#include "kernels.h"
#include "tpu_kernel.h"

// One byte of each channel for all of its elements.
void broadcast_cast(const void* args) {
  const threads_args* p = args;
  tpu_initialize();
  dim4 values = {1, p->channels, 1, 1}, shape = {1, p->channels, p->rows, p->columns}, one;
  tpu_gdma_cpy_S2L(0, p->input_addr, &values, NULL, NULL, DT_INT8);
  tpu_aligned_stride(&one, 0, &values, DT_INT8);
  one.h = one.w = 0;
  tpu_bdc_cast(65536, 0, &shape, NULL, &one, DT_FP32, DT_INT8, RM_HALF_TO_EVEN);
  tpu_gdma_cpy_L2S(p->output_addr, 65536, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(broadcast_cast)

// In place it is c * c / 6 with c = min(max(x + 3, 0), 6).
void hswish_in_place(const void* args) {
  const threads_args* p = args;
  tpu_initialize();
  dim4 shape = {1, p->channels, p->rows, p->columns};
  tpu_gdma_cpy_S2L(0, p->input_addr, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_hswish(0, 0, 131072, &shape, DT_FP32);
  tpu_gdma_cpy_L2S(p->output_addr, 0, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(hswish_in_place)

// Means of two by two elements, from the input's own address on: each lies before what later
// ones are made of.
void pool_in_place(const void* args) {
  const threads_args* p = args;
  tpu_initialize();
  dim4 shape = {1, p->channels, p->rows, p->columns};
  dim4 pooled = {1, p->channels, p->rows - 1, p->columns - 1};
  dim2 kernel = {2, 2}, one = {1, 1};
  padding_t none = {0, 0, 0, 0};
  tpu_gdma_cpy_S2L(0, p->input_addr, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_avg_pool2d(0, 0, &shape, &kernel, &none, &one, &one, DT_FP32,
                        (scalar_t){.f32 = 0.25f});
  tpu_gdma_cpy_L2S(p->output_addr, 0, &pooled, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(pool_in_place)

// The input twice.
void doubled(const void* args) {
  const threads_args* p = args;
  tpu_initialize();
  dim4 shape = {1, p->channels, p->rows, p->columns};
  tpu_gdma_cpy_S2L(0, p->input_addr, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add(65536, 0, 0, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(p->output_addr, 65536, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(doubled)
