// Kernels over several cores, and of the SDMA: what a recording of them has to hold.
#include "tpu_kernel.h"

typedef struct {
  unsigned long long in, out;  // a block of 64 * columns fp32 for each core, and one more
  int columns;
} cores_args;

// Each core adds what it loaded to what the one before it passes on: by messages, in turn.
void pass_on(const void* args) {
  const cores_args* p = (const cores_args*)args;
  const int core = tpu_core_index(), last = tpu_core_num() - 1;
  const dim4 shape = {1, 64, 1, p->columns};
  const unsigned long long block = 256ull * p->columns;
  const local_addr_t own = 0, sum = 65536;
  tpu_initialize();
  tpu_gdma_cpy_S2L(own, p->in + core * block, &shape, NULL, NULL, DT_FP32);
  if (core > 0) {
    tpu_gdma_wait_msg(100 + core, 1);
    tpu_gdma_cpy_S2L(sum, p->out + (core - 1) * block, &shape, NULL, NULL, DT_FP32);
    tpu_bdc_fp_add(own, own, sum, &shape, NULL, NULL, NULL, DT_FP32);
  }
  tpu_gdma_cpy_L2S(p->out + core * block, own, &shape, NULL, NULL, DT_FP32);
  if (core < last) tpu_gdma_send_msg(101 + core, 1);
  tpu_sync_all();
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(pass_on)

// The SDMA copies beside the GDMA.
void carry(const void* args) {
  const cores_args* p = (const cores_args*)args;
  const dim4 shape = {1, 64, 1, p->columns};
  const unsigned long long block = 256ull * p->columns;
  tpu_initialize();
  tpu_parallel_start();
  tpu_sdma_cpy_S2S(p->out, p->in, &shape, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_S2L(0, p->in + block, &shape, NULL, NULL, DT_FP32);
  tpu_parallel_end();
  tpu_bdc_fp_add(65536, 0, 0, &shape, NULL, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(carry)
