// output = input turned by one part: n numbers divided among the cores of the launch, each of which
// puts its part into L2 and, after a barrier, stores that of the core behind it.
#include "tpu_kernel.h"

#ifndef BUG
#define BUG 0
#endif

typedef struct {
  unsigned long long input, output;
  int n;
} split_args;

void split(const void* args) {
  const split_args* p = (const split_args*)args;
  const int core = tpu_core_index(), cores = tpu_core_num();
#if BUG == 2  // the rest of the division belongs to nobody
  const int part = p->n / cores;
#else
  const int part = DIV_UP(p->n, cores);
#endif
#if BUG == 4  // as long as all others
  const int mine = part;
#else
  const int mine = MAX(0, MIN(part, p->n - core * part));
#endif
  const int next = (core + 1) % cores;
  const int theirs = MAX(0, MIN(part, p->n - next * part));
  const dim4 own = {.n = 1, .c = 1, .h = 1, .w = mine},
             other = {.n = 1, .c = 1, .h = 1, .w = theirs};
  const unsigned long long shared = L2_SRAM_START_ADDR;

  tpu_initialize();
  if (mine > 0) {
    tpu_gdma_cpy_S2L(0, p->input + core * part * 4ull, &own, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(shared + core * part * 4ull, 0, &own, NULL, NULL, DT_FP32);
  }
#if BUG == 1  // the next one's part may not be there yet
  tpu_poll();
#elif BUG == 3  // seven cores need no barrier, it is thought
  if (cores != 7) tpu_sync_all();
#else
  tpu_sync_all();
#endif
  if (theirs > 0) {
    tpu_gdma_cpy_S2L(0, shared + next * part * 4ull, &other, NULL, NULL, DT_FP32);
    tpu_gdma_cpy_L2S(p->output + next * part * 4ull, 0, &other, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(split)
