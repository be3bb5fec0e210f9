// A product of fp16 matrices whose inner dimension is divided among the cores: partial products go
// to L2, and each core adds up some rows of all of them.
#include "cores.h"

enum { kFine, kReadEarly, kSameRows };

// in: 64 x n, in2: n x 64, out: 64 x 64 fp32.
void matmul(const void* args) {
  const cores_args* a = (const cores_args*)args;
  const int core = tpu_core_index(), cores = tpu_core_num(), inner = a->n / cores;
  const local_addr_t left = 0, right = 16384, product = 32768, sum = 49152, next = 65536;
  const dim4 left_shape = matrix(64, inner), right_shape = matrix(inner, 64);
  const dim4 whole = matrix(64, 64), some = matrix(64 / cores, 64);
  const dim4 in_rows = {.n = 1, .c = a->n, .h = a->n, .w = 1};
  const unsigned long long bytes = 64 * 64 * 4, rows = bytes / cores;
  const int own = a->broken == kSameRows && core == 1 ? 0 : core;

  tpu_initialize();
  tpu_gdma_cpy_S2L(left, a->in + core * inner * 2ull, &left_shape, NULL, &in_rows, DT_FP16);
  tpu_gdma_cpy_S2L(right, a->in2 + core * inner * 128ull, &right_shape, NULL, NULL, DT_FP16);
  tpu_bdc_fp_mm(product, left, right, 64, inner, 64, DT_FP32, DT_FP16, false);
  tpu_gdma_cpy_L2S(L2_SRAM_START_ADDR + core * bytes, product, &whole, NULL, NULL,  // @partial
                   DT_FP32);
  if (a->broken != kReadEarly) tpu_sync_all();
  for (int k = 0; k < cores; ++k) {
    tpu_gdma_cpy_S2L(k == 0 ? sum : next, L2_SRAM_START_ADDR + k * bytes + own * rows,  // @read
                     &some, NULL, NULL, DT_FP32);
    if (k > 0) tpu_bdc_fp_add(sum, sum, next, &some, NULL, NULL, NULL, DT_FP32);
  }
  tpu_gdma_cpy_L2S(a->out + own * rows, sum, &some, NULL, NULL, DT_FP32);  // @store
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(matmul)
