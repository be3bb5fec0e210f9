#include "okk.h"
#include "args.h"

// output = -input, for a tensor that is larger than local memory.
void exercise(const void* args) {
  const args_t* p = (const args_t*)args;
  const dim4 shape = {.n = 1, .c = p->c, .h = p->h, .w = p->w};
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &shape);
  OKKERNEL_ASSERT(shape.n * stride.n * 4 <= (int)okk_local_mem_size_per_npu());

  okk_initialize();
  for (int n = 0; n < p->n; ++n) {
    const unsigned long long at = 4ull * n * p->c * p->h * p->w;
    okk_gdma_32bit_cpy_S2L(0, p->input_addr + at, &shape, 0, 0);
    okk_bdc_mul_C(0, 0, -1.0f, &shape, 0, 0);
    okk_gdma_32bit_cpy_L2S(p->output_addr + at, 0, &shape, 0, 0);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(exercise)
