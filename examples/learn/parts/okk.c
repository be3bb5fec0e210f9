#include "okk.h"
#include "args.h"

static int smaller(int a, int b) {
  return a < b ? a : b;
}

// Bytes of every NPU that a tensor takes.
static unsigned int bytes(const dim4* shape) {
  dim4 stride;
  okk_128_byte_aligned_stride_for_32bit(&stride, 0, shape);
  return shape->n * stride.n * sizeof(float);
}

// output = input + 1, of any size.
void plus_one(const void* args) {
  const args_t* a = (const args_t*)args;
  // The largest part of which two fit: cut N first, then H, then W.
  const unsigned int half = okk_local_mem_size_per_npu() / 2;
  dim4 part = {.n = a->n, .c = a->c, .h = a->h, .w = a->w};
  while (bytes(&part) > half && part.n > 1) --part.n;
  while (bytes(&part) > half && part.h > 1) --part.h;
  while (bytes(&part) > half && part.w > 1) --part.w;
  OKKERNEL_ASSERT(bytes(&part) <= half);
  const local_addr_t input = 0, output = half;
  // How far apart the elements of the whole lie: the same for each of its parts.
  const dim4 whole = {.n = a->c * a->h * a->w, .c = a->h * a->w, .h = a->w, .w = 1};

  okk_initialize();
  for (int n = 0; n < a->n; n += part.n) {
    for (int h = 0; h < a->h; h += part.h) {
      for (int w = 0; w < a->w; w += part.w) {
        const dim4 shape = {.n = smaller(part.n, a->n - n),
                            .c = a->c,
                            .h = smaller(part.h, a->h - h),
                            .w = smaller(part.w, a->w - w)};
        const unsigned long long first =
            ((unsigned long long)n * whole.n + h * whole.h + w) * sizeof(float);
        okk_gdma_32bit_cpy_S2L(input, a->input_addr + first, &shape, 0, &whole);
        okk_bdc_add_C(output, input, 1.0f, &shape, 0, 0);
        okk_gdma_32bit_cpy_L2S(a->output_addr + first, output, &shape, &whole, 0);
      }
    }
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(plus_one)
