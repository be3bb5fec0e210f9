// Rows are sorted while they are still being stored to global memory.
// expect TL-RACE-001 reader writer | global memory bytes +0..+4095
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  const dim4 row = {1, 64, 1, 16}, all = {1, 64, 16, 16};
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 0, &all, NULL, NULL, DT_FP32);
  tpu_parallel_start();
  tpu_gdma_cpy_L2S(a->output, 0, &row, NULL, NULL, DT_FP32);                           // @writer
  tpu_hau_sort_natural_index(a->output + 8192, a->output + 16384, a->output, 1024, 8,  // @reader
                             true, DT_FP32);
  tpu_parallel_end();
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
