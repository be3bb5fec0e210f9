// The channels in the second row of NPUs lie behind the end of the local memory.
// expect TL-MEMORY-001 call
// message ends 1024 bytes past the 524288 of NPU 0
#include "okk.h"

typedef struct {
  system_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  okk_initialize();
  dim4 tall = {1, 128, 16, 16};
  const local_addr_t near_end = okk_local_mem_size_per_npu() - 1024;
  okk_gdma_32bit_cpy_S2L(near_end, a->input, &tall, 0, 0);  // @call
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(kernel)
