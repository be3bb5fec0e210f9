// fp32 on the BM1684.
#include "kernels.h"
#include "okk.h"
#include "tensorlane_debug.h"

void add(const void* args) {
  const numbers_args* p = args;
  dim4 shape = {1, 64, 1, 96};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->input_addr, &shape, NULL, NULL);
  okk_bdc_add_C(1024, 0, p->add, &shape, NULL, NULL);
  okk_parallel_start();
  okk_gdma_32bit_cpy_L2S(p->output_addr, 1024, &shape, NULL, NULL);
  okk_parallel_end();
  if (p->speak) {
    tl_name(p->output_addr, tl_nchw("fp32", 1, 64, 1, 96), "sums of it");
    tl_print(1024, tl_nchw("fp32", 1, 64, 1, 96));
    tl_dump(1024, tl_nchw("fp32", 1, 64, 1, 96), "said.npy");
    tl_print(1024, tl_nchw("fp31", 1, 64, 1, 96));
    tl_print(0x1ffffff0, tl_nchw("fp32", 1, 64, 1, 96));
  }
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(add)

// Of numbers that fp32 cannot hold, one after the other.
void sums(const void* args) {
  const numbers_args* p = args;
  dim4 shape = {1, 64, 1, 96};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, p->input_addr, &shape, NULL, NULL);
  okk_bdc_mul_C(0, 0, 0.1f, &shape, NULL, NULL);
  okk_bdc_32bit_set_C(1024, (x32){.fp32 = 0}, &shape, NULL);
  for (int k = 0; k < p->terms; ++k)
    okk_bdc_add(1024, 1024, 0, &shape, NULL, NULL, NULL);  // the sum
  okk_gdma_32bit_cpy_L2S(p->output_addr, 1024, &shape, NULL, NULL);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(sums)
