// fp32, fp16, bf16 and int8 on the BM1684X: `add` is fp32, `sums` is bf16.
#include "kernels.h"
#include "tensorlane_debug.h"
#include "tpu_kernel.h"

void add(const void* args) {
  const numbers_args* p = args;
  dim4 shape = {1, 64, 1, 96};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->input_addr, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_fp_add_C(1024, 0, (scalar_t){.f32 = p->add}, &shape, NULL, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_gdma_cpy_L2S(p->output_addr, 1024, &shape, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  if (p->speak) {
    tl_name(p->output_addr, tl_nchw("fp32", 1, 64, 1, 96), "sums of it");
    tl_print(1024, tl_nchw("fp32", 1, 64, 1, 96));
    tl_dump(1024, tl_nchw("fp32", 1, 64, 1, 96), "said.npy");
    tl_print(1024, tl_nchw("fp31", 1, 64, 1, 96));
    tl_print(0x1ffffff0, tl_nchw("fp32", 1, 64, 1, 96));
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(add)

void sums(const void* args) {
  const numbers_args* p = args;
  dim4 shape = {1, 64, 1, 96};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->input_addr, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_cast(4096, 0, &shape, NULL, NULL, DT_BFP16, DT_FP32, RM_HALF_TO_EVEN);
  tpu_bdc_set_C(1024, (scalar_t){.u32 = 0}, &shape, NULL, DT_BFP16);
  for (int k = 0; k < p->terms; ++k)
    tpu_bdc_fp_add(1024, 1024, 4096, &shape, NULL, NULL, NULL, DT_BFP16);  // the sum
  tpu_gdma_cpy_L2S(p->output_addr, 1024, &shape, NULL, NULL, DT_BFP16);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(sums)
