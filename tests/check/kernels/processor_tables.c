// Tables that the processor makes, byte by byte, word by word and with the functions of the C
// library, small ones and one of 64 KB in L2, where it adds up what it wrote; a part of a page
// is a copy's.
//
// expect nothing
#include <string.h>

#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  dim4 all = {1, 64, 16, 16}, row = {1, 1, 1, 256};
  okk_initialize();
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  unsigned char* const local = okk_local_mem_addr(0, 1024);
  for (int i = 0; i < 1024; ++i) local[i] = 0;
  memset(okk_local_mem_addr(1, 1024), 0, 1024);
  float values[256];
  for (int i = 0; i < 256; ++i) values[i] = (float)i;
  for (int npu = 2; npu < 64; ++npu) memcpy(okk_local_mem_addr(npu, 1024), values, sizeof(values));
  unsigned int* const table = (unsigned int*)okk_l2_sram_addr(okk_l2_sram_start_addr());
  for (int i = 0; i < 16384; ++i) table[i] = 0;
  for (int i = 1; i < 16384; ++i) table[i] += table[i - 1];
  okk_gdma_32bit_cpy_S2L(2048, okk_l2_sram_start_addr() + 65536 - 1024, &row, 0, 0);
  okk_poll();
  okk_bdc_add(1024, 0, 1024, &all, 0, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 1024, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 2048, &row, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
