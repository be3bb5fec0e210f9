// output = max(input, 0) over c channels of h x w, on the BM1684: 64 channels at a time.
#include "okk.h"

#ifndef BUG
#define BUG 0
#endif

typedef struct {
  unsigned long long input, output;
  int c, h, w;
} relu_args;

void relu(const void* args) {
  const relu_args* p = (const relu_args*)args;
  const int npus = okk_npu_num();
  const local_addr_t x = 0, y = 262144;

  okk_initialize();
  for (int first = 0; first < p->c; first += npus) {
#if BUG == 1  // a last group of one channel takes two
    const int left = p->c - first, c = left == 1 && first > 0 ? 2 : left < npus ? left : npus;
#else
    const int left = p->c - first, c = left < npus ? left : npus;
#endif
    const dim4 shape = {.n = 1, .c = c, .h = p->h, .w = p->w};
    const unsigned long long at = 4ull * first * p->h * p->w;
    okk_gdma_32bit_cpy_S2L(x, p->input + at, &shape, 0, 0);
#if BUG == 2  // y lies in x where a channel is large
    const local_addr_t to = p->h * p->w > 1024 ? x + 64 : y;
#else
    const local_addr_t to = y;
#endif
#if BUG == 3  // odd widths above 32 lose a column
    const dim4 done = {.n = 1, .c = c, .h = p->h, .w = p->w > 32 && p->w % 2 ? p->w - 1 : p->w};
    dim4 apart;
    okk_128_byte_aligned_stride_for_32bit(&apart, 0, &shape);
    okk_bdc_relu(to, x, &done, &apart, &apart);
#else
    okk_bdc_relu(to, x, &shape, 0, 0);
#endif
#if BUG == 4  // rows and columns of the store are swapped
    const dim4 stored = {.n = 1, .c = c, .h = p->w, .w = p->h};
    dim4 tight = {.n = 0, .c = p->h * p->w, .h = 1, .w = p->w};
    okk_gdma_32bit_cpy_L2S(p->output + at, to, &stored, &tight, 0);
#else
    okk_gdma_32bit_cpy_L2S(p->output + at, to, &shape, 0, 0);
#endif
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(relu)
