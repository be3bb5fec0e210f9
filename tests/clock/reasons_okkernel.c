// Kernels that different things bound, one each; the line says which. check_reasons.py looks for
// it.
#include "kernels.h"

#include "okk.h"

static const dim4 tile = {1, 64, 1, 16384};

void loads(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  okk_initialize();
  for (int k = 0; k < 4; ++k) {
    okk_parallel_start();
    okk_gdma_32bit_cpy_S2L(k % 2 * 0x10000, p->in, &tile, NULL, NULL);  // bound: DDR to local
    okk_bdc_neg(0x20000, 0x20000, &tile, NULL, NULL);
    okk_parallel_end();
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(loads);

void stores(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->in, &tile, NULL, NULL);
  for (int k = 0; k < 4; ++k) {
    okk_gdma_32bit_cpy_L2S(p->out, 0, &tile, NULL, NULL);  // bound: local to DDR
    okk_bdc_neg(0, 0, &tile, NULL, NULL);
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(stores);

void lookups(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  okk_initialize();
  okk_bdc_32bit_set_C(0, (x32){.s32 = 3}, &tile, NULL);
  for (int k = 0; k < 4; ++k) okk_bdc_lookup_exp(0x20000, 0, &tile);  // bound: lookup
  okk_gdma_32bit_cpy_L2S(p->out, 0x20000, &(dim4){1, 64, 1, 64}, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(lookups);

void exponentials(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->in, &tile, NULL, NULL);
  okk_bdc_mul_C(0, 0, 0.5f, &tile, NULL, NULL);
  okk_bdc_exp(0x20000, 0, 0x40000, &tile);  // bound: function
  okk_gdma_32bit_cpy_L2S(p->out, 0x20000, &tile, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(exponentials);

void few_channels(const void* args) {
  (void)args;
  const dim4 narrow = {2, 4, 128, 128};
  okk_initialize();
  for (int k = 0; k < 8; ++k) {
    okk_bdc_add(0x40000, 0, 0x20000, &narrow, NULL, NULL, NULL);  // bound: idle NPUs
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(few_channels);

void small_planes(const void* args) {
  (void)args;
  const dim4 single = {512, 64, 1, 1};
  okk_initialize();
  okk_bdc_div(0x20000, 0, 0x10000, &single, NULL, NULL, NULL);  // bound: idle units
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(small_planes);

void many_commands(const void* args) {
  (void)args;
  const dim4 small = {1, 64, 1, 64};
  okk_initialize();
  for (int k = 0; k < 100; ++k) {
    okk_bdc_neg(0, 0, &small, NULL, NULL);  // bound: issue
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(many_commands);
