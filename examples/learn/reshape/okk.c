#include "okk.h"
#include "args.h"

static long long smaller(long long a, long long b) {
  return a < b ? a : b;
}

// output = input + 1, in the shape that the tensor has: an image of three channels uses 3 NPUs.
void as_it_is(const void* args) {
  const args_t* a = (const args_t*)args;
  const dim4 whole = {.n = a->c * a->h * a->w, .c = a->h * a->w, .h = a->w, .w = 1};
  const int rows = (int)smaller(a->h, okk_local_mem_size_per_npu() / 2 / 4 / a->w);
  const local_addr_t input = 0, output = okk_local_mem_size_per_npu() / 2;

  okk_initialize();
  for (int n = 0; n < a->n; ++n) {
    for (int h = 0; h < a->h; h += rows) {
      const dim4 shape = {.n = 1, .c = a->c, .h = (int)smaller(rows, a->h - h), .w = a->w};
      const unsigned long long first = 4ull * ((unsigned long long)n * whole.n + h * whole.h);
      okk_gdma_32bit_cpy_S2L(input, a->input_addr + first, &shape, 0, &whole);
      okk_bdc_add_C(output, input, 1.0f, &shape, 0, 0);
      okk_gdma_32bit_cpy_L2S(a->output_addr + first, output, &shape, &whole, 0);
    }
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(as_it_is)

// The same as a line of elements: M of them for each of the NPUs in every part, then a tail.
void as_a_line(const void* args) {
  const args_t* a = (const args_t*)args;
  const int npus = okk_npu_num();
  const long long length = (long long)a->n * a->c * a->h * a->w;
  const long long most = okk_local_mem_size_per_npu() / 2 / 4 / 2;
  const local_addr_t input = 0, output = okk_local_mem_size_per_npu() / 2;

  okk_initialize();
  for (long long begin = 0, done; begin < length; begin += done) {
    const long long rest = length - begin;
    const int channels = (int)smaller(npus, rest);      // all NPUs, or one for each element left
    const int m = (int)smaller(most, rest / channels);  // what is left over comes in the tail
    const dim4 shape = {.n = 1, .c = channels, .h = 1, .w = m};
    done = (long long)channels * m;
    okk_gdma_32bit_cpy_S2L(input, a->input_addr + 4 * begin, &shape, 0, 0);
    okk_bdc_add_C(output, input, 1.0f, &shape, 0, 0);
    okk_gdma_32bit_cpy_L2S(a->output_addr + 4 * begin, output, &shape, 0, 0);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(as_a_line)
