// Tables that the processor makes, byte by byte, word by word and with the functions of the C
// library, small ones and one of 64 KB in L2, where it adds up what it wrote; a part of a page
// is a copy's.
//
// expect nothing
#include <string.h>

#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  const dim4 all = {1, 64, 16, 16}, row = {1, 1, 1, 256};
  tpu_initialize();
  tpu_gdma_cpy_S2L(0, a->input, &all, NULL, NULL, DT_FP32);
  unsigned char* const local = tpu_local_mem_addr(0, 1024);
  for (int i = 0; i < 1024; ++i) local[i] = 0;
  memset(tpu_local_mem_addr(1, 1024), 0, 1024);
  float values[256];
  for (int i = 0; i < 256; ++i) values[i] = (float)i;
  for (int npu = 2; npu < 64; ++npu) memcpy(tpu_local_mem_addr(npu, 1024), values, sizeof(values));
  const system_addr_t l2 = tpu_l2_sram_get_start_addr();
  unsigned int* const table = (unsigned int*)tpu_l2_sram_addr(l2);
  for (int i = 0; i < 16384; ++i) table[i] = 0;
  for (int i = 1; i < 16384; ++i) table[i] += table[i - 1];
  tpu_gdma_cpy_S2L(2048, l2 + 65536 - 1024, &row, NULL, NULL, DT_FP32);
  tpu_poll();
  tpu_bdc_fp_add(1024, 0, 1024, &all, NULL, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 1024, &all, NULL, NULL, DT_FP32);
  tpu_gdma_cpy_L2S(a->output, 2048, &row, NULL, NULL, DT_FP32);
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
