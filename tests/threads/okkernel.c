// Operands that stand in each other's place, on the BM1684.
#include "kernels.h"
#include "okk.h"

// Means of two by two elements, from the input's own address on: each lies before what later
// ones are made of.
void pool_in_place(const void* args) {
  const threads_args* p = args;
  okk_initialize();
  dim4 shape = {1, p->channels, p->rows, p->columns};
  dim4 pooled = {1, p->channels, p->rows - 1, p->columns - 1};
  dim2 one = {1, 1};
  Padding none = {0, 0, 0, 0};
  okk_gdma_32bit_cpy_S2L(0, p->input_addr, &shape, NULL, NULL);
  okk_bdc_avg_pool2d(0, 0, &shape, 2, 2, &none, &one);
  okk_gdma_32bit_cpy_L2S(p->output_addr, 0, &pooled, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(pool_in_place)

// The input twice.
void doubled(const void* args) {
  const threads_args* p = args;
  okk_initialize();
  dim4 shape = {1, p->channels, p->rows, p->columns};
  okk_gdma_32bit_cpy_S2L(0, p->input_addr, &shape, NULL, NULL);
  okk_bdc_add(65536, 0, 0, &shape, NULL, NULL, NULL);
  okk_gdma_32bit_cpy_L2S(p->output_addr, 65536, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(doubled)
