// A kernel that the checker has much to say about: a computation beside the copy that it reads
// from.
#include "../clock/kernels.h"

#include "okk.h"

static const dim4 tile = {1, 64, 1, 4096};

void racing(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  okk_initialize();
  okk_parallel_start();
  okk_gdma_32bit_cpy_S2L(0, p->in, &tile, NULL, NULL);  // race: writes
  okk_bdc_add_C(0x20000, 0, 1.5f, &tile, NULL, NULL);   // race: reads
  okk_parallel_end();
  okk_gdma_32bit_cpy_L2S(p->out, 0x20000, &tile, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(racing);
