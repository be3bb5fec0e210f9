// A selection between two tensors, each of which was loaded only where it is taken.
// expect nothing
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

enum { kMask = 0, kYes = 4096, kNo = 8192, kOut = 12288, kFar = 32 * 524288 };

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 all = {1, 64, 16, 16}, half = {1, 32, 16, 16};
  okk_gdma_32bit_set_C_local(kMask, (x32){.u32 = 0x3f800000}, &half, 0);
  okk_gdma_32bit_set_C_local(kFar + kMask, (x32){.u32 = 0}, &half, 0);
  okk_gdma_32bit_cpy_S2L(kYes, a->input, &half, 0, 0);
  okk_gdma_32bit_cpy_S2L(kFar + kNo, a->input, &half, 0, 0);
  fp32_or_addr_t mask = {.is_addr = true, .context.addr = kMask};
  fp32_or_addr_t limit = {.is_addr = false, .context.val = 0.5f};
  x32_or_addr_t yes = {.is_addr = true, .context.addr = kYes};
  x32_or_addr_t no = {.is_addr = true, .context.addr = kNo};
  okk_bdc_greater_select(kOut, &mask, &limit, &yes, &no, &all);
  okk_gdma_32bit_cpy_L2S(a->output, kOut, &all, 0, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
