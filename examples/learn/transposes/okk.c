#include "okk.h"
#include "args.h"

// NCHW becomes NHWC. In local memory rows lie side by side (W), in global memory channels do. A
// copy wants W in one piece on both sides: the row goes as its H, with a W of one element, and the
// rows of an image as its N.
void channels_last(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 image = {.n = 1, .c = a->c, .h = a->h, .w = a->w},
             columns = {.n = a->h, .c = a->c, .h = a->w, .w = 1};
  const dim4 to = {.n = a->w * a->c, .c = 1, .h = a->c, .w = 1};
  dim4 from;
  okk_128_byte_aligned_stride_for_32bit(&from, 0, &image);
  OKKERNEL_ASSERT(from.n * sizeof(float) <= okk_local_mem_size_per_npu());
  from.n = a->w;  // from one row to the next
  from.h = 1;

  okk_initialize();
  for (int n = 0; n < a->n; ++n) {
    const unsigned long long at = 4ull * n * a->c * a->h * a->w;
    okk_gdma_32bit_cpy_S2L(0, a->input_addr + at, &image, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->output_addr + at, 0, &columns, &to, &from);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(channels_last)

// NCHW becomes CNHW: rows stay rows, which costs no more than a plain copy.
void channels_first(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 shape = {.n = a->n, .c = a->c, .h = a->h, .w = a->w};
  const dim4 to = {.n = a->h * a->w, .c = a->n * a->h * a->w, .h = a->w, .w = 1};
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, &shape);
  OKKERNEL_ASSERT(shape.n * stride.n * sizeof(float) <= okk_local_mem_size_per_npu());

  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->input_addr, &shape, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output_addr, 0, &shape, &to, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(channels_first)
