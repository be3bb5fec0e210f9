// Pages 0, 2 and 4 of a cache were filled, pages 0, 2, 4 and 6 are read.
// expect TL-INIT-001 gather fill | local memory NPUs 0..63 offsets 384..447
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

enum { kCache = 0, kNumbers = 4096, kPages = 8192, kAll = 16384 };

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 all = {1, 64, 16, 16}, page = {1, 64, 1, 16}, four = {1, 64, 4, 16};
  const dim4 cache = {1024, 128, 16, 1};
  const scalar_t zero = {.u32 = 0};
  tpu_gdma_cpy_S2L(kAll, a->input, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, kAll, &all, NULL, NULL, DT_FP32);
  tpu_bdc_arithmetic_sequence_bcast(kNumbers, 64, 0, 2, 4);
  for (int k = 0; k < 6; k += 2)
    tpu_gdma_cpy_S2L(kCache + 64 * k, a->input, &page, &cache, NULL, DT_FP32);       // @fill
  tpu_gdma_h_gather_L2L(kPages, kCache, kNumbers, true, zero, &four, 8, NULL, NULL,  // @gather
                        NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, kPages, &four, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
