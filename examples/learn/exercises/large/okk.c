#include "okk.h"
#include "args.h"

// output = -input, for a tensor that is larger than local memory.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 shape = {.n = p->n, .c = p->c, .h = p->h, .w = p->w};
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &shape);
  OKKERNEL_ASSERT(shape.n * stride.n * 4 <= (int)okk_local_mem_size_per_npu());

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->input_addr, &shape, 0, 0);
  okk_bdc_mul_C(0, 0, -1.0f, &shape, 0, 0);
  okk_gdma_32bit_cpy_L2S(p->output_addr, 0, &shape, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(exercise)
