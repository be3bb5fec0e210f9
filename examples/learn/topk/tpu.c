#include "args.h"
#include "tpu_kernel.h"

// The k largest elements of every row and where they stand, by the sorter. Equal elements keep
// their order.
void topk(const void* args) {
  const args_t* p = (const args_t*)args;
  tpu_initialize();
  for (int row = 0; row < p->rows; ++row) {
    const unsigned long long in = 4ull * row * p->cols, out = 4ull * row * p->k;
    tpu_hau_sort_natural_index(p->values_addr + out, p->indices_addr + out, p->input_addr + in,
                               p->cols, p->k, true, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(topk)
