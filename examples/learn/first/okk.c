#include "okk.h"
#include "args.h"

// output = input + 1. All of it fits local memory.
void plus_one(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 shape = {.n = a->n, .c = a->c, .h = a->h, .w = a->w};
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &shape);
  const local_addr_t input = 0, output = shape.n * stride.n * sizeof(float);
  OKKERNEL_ASSERT(2 * output <= okk_local_mem_size_per_npu());

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(input, a->input_addr, &shape, 0, 0);
  okk_bdc_add_C(output, input, 1.0f, &shape, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output_addr, output, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one)

// output (n, c, w, h) = input (n, c, h, w) with its last two axes exchanged.
void transpose(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 shape = {.n = a->n, .c = a->c, .h = a->w, .w = a->h};  // of the result
  const dim4 from = {.n = a->c * a->h * a->w, .c = a->h * a->w, .h = 1, .w = a->w};

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->input_addr, &shape, 0, &from);
  okk_gdma_32bit_cpy_L2S(a->output_addr, 0, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(transpose)
