// Records that the processor writes member by member and copies as a whole, with their padding.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

typedef struct {
  double weight;
  char kind;
  int row;
  short column;
} record_t;

void kernel(const void* args) {
  const args_t* a = args;
  dim4 all = {1, 64, 16, 16};
  okk_initialize();
  record_t* const records = (record_t*)okk_l2_sram_addr(okk_l2_sram_start_addr());
  for (int i = 0; i < 8; ++i) {
    records[i].weight = i * 0.5;
    records[i].kind = (char)i;
    records[i].row = 3 * i;
    records[i].column = (short)i;
  }
  volatile record_t copies[8];
  for (int i = 0; i < 8; ++i) copies[i] = records[i];
  okk_gdma_32bit_cpy_S2L(0, a->input, &all, 0, 0);
  okk_bdc_add_C(0, 0, (float)copies[7].weight, &all, 0, 0);
  okk_gdma_32bit_cpy_L2S(a->output, 0, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
