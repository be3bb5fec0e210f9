// Copies n numbers; ends badly at some sizes.
#include "tpu_kernel.h"

#ifndef BUG
#define BUG 0
#endif

typedef struct {
  unsigned long long input, output;
  int n;
} spin_args;

static int depth(int n) {
  volatile char room[4096];
  room[0] = (char)n;
  return n == 0 ? room[0] : depth(n - 1) + room[0];
}

void spin(const void* args) {
  const spin_args* p = (const spin_args*)args;
  tpu_initialize();
#if BUG == 1  // never ends
  for (volatile int turn = 0; p->n == 77;) turn = 0;
#elif BUG == 2  // a pointer to nowhere
  if (p->n > 50) *(volatile int*)8 = 1;
#elif BUG == 3  // divides by zero
  volatile int zero = p->n - 61;
  if (p->n > 0) zero = p->n / (zero == 0 ? zero : 1);
#elif BUG == 4  // too deep
  if (p->n > 90) depth(1 << 24);
#endif
  const dim4 shape = {.n = 1, .c = 1, .h = 1, .w = p->n};
  tpu_gdma_cpy_S2S(p->output, p->input, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(spin)
