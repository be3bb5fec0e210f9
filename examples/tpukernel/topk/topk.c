// The k largest elements of every row and where they stood, by the sorter of the HAU. Equal values
// keep their order.
#include "topk.h"

#include "tpu_kernel.h"

void topk(const void* args) {
  const topk_args* p = (const topk_args*)args;
  tpu_initialize();
  for (int row = 0; row < p->rows; ++row) {
    const unsigned long long in = (unsigned long long)row * p->cols * sizeof(float);
    const unsigned long long out = (unsigned long long)row * p->k * sizeof(float);
    tpu_hau_sort_natural_index(p->values_addr + out, p->indices_addr + out, p->input_addr + in,
                               p->cols, p->k, true, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(topk)
