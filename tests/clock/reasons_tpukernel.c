// Kernels that six different things bound, one each; the line says which. check_reasons.py looks
// for it.
#include "kernels.h"

#include "tpu_kernel.h"

static const dim4 tile = {1, 64, 1, 16384};

static void loads(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  tpu_initialize();
  for (int k = 0; k < 4; ++k) {
    tpu_parallel_start();
    tpu_gdma_cpy_S2L(k % 2 * 0x10000, p->in, &tile, NULL, NULL, DT_FP32);  // bound: DDR to local
    tpu_bdc_neg(0x20000, 0x20000, &tile, NULL, NULL, DT_FP32);
    tpu_parallel_end();
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(loads)

static void stores(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &tile, NULL, NULL, DT_FP32);
  for (int k = 0; k < 4; ++k) {
    tpu_gdma_cpy_L2S(p->out, 0, &tile, NULL, NULL, DT_FP32);  // bound: local to DDR
    tpu_bdc_neg(0, 0, &tile, NULL, NULL, DT_FP32);
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(stores)

static void lookups(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  tpu_initialize();
  tpu_gdma_cpy_S2L(0x10000, p->in, &tile, NULL, NULL, DT_UINT8);
  for (int k = 0; k < 4; ++k) {
    tpu_bdc_table_lookup(0x20000, 0x10000, 0, &tile, 256, DT_INT8, DT_UINT8);  // bound: lookup
  }
  tpu_gdma_cpy_L2S(p->out, 0x20000, &tile, NULL, NULL, DT_INT8);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(lookups)

static void exponentials(const void* args) {
  const kernel_args* p = (const kernel_args*)args;
  const dim4 shape = {1, 64, 1, 8192};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, p->in, &shape, NULL, NULL, DT_FP32);
  tpu_bdc_load_fp_exp_coeff(0x38000, DT_FP32);
  tpu_bdc_fp_mul_C(0, 0, (scalar_t){.f32 = 0.5f}, &shape, NULL, NULL, DT_FP32);
  for (int k = 0; k < 3; ++k) {
    tpu_bdc_fp_exp(0x8000, 0, 0x10000, 0x18000, 0x38000, &shape, DT_FP32);  // bound: function
  }
  tpu_gdma_cpy_L2S(p->out, 0x8000, &shape, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(exponentials)

static void few_channels(const void* args) {
  (void)args;
  const dim4 narrow = {1, 4, 64, 64};
  tpu_initialize();
  for (int k = 0; k < 8; ++k) {
    tpu_bdc_fp_add(0x8000, 0, 0x4000, &narrow, NULL, NULL, NULL, DT_FP32);  // bound: idle NPUs
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(few_channels)

static void small_planes(const void* args) {
  (void)args;
  const dim4 single = {64, 64, 1, 1};
  tpu_initialize();
  tpu_bdc_fp_add(0x8000, 0, 0x4000, &single, NULL, NULL, NULL, DT_FP32);  // bound: idle units
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(small_planes)

static void many_commands(const void* args) {
  (void)args;
  const dim4 small = {1, 64, 1, 64};
  tpu_initialize();
  for (int k = 0; k < 100; ++k) {
    tpu_bdc_neg(0, 0, &small, NULL, NULL, DT_FP32);  // bound: small commands
  }
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(many_commands)
