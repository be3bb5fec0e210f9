#include "okk.h"
#include "args.h"

void fill(const void* args) {
  const plan_args* a = (const plan_args*)args;
  okk_initialize();
  for (int i = 0; i < a->count; ++i) {
    const dim4 shape = {a->tensors[i].n, a->tensors[i].c, a->tensors[i].h, a->tensors[i].w};
    const local_addr_t at = a->tensors[i].address;
    if (a->tensors[i].bits == 32) okk_gdma_32bit_cpy_S2L(at, a->memory, &shape, 0, 0);
    if (a->tensors[i].bits == 16) okk_gdma_16bit_cpy_S2L(at, a->memory, &shape, 0, 0);
    if (a->tensors[i].bits == 8) okk_gdma_8bit_cpy_S2L(at, a->memory, &shape, 0, 0);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(fill)
