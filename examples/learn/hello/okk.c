#include "okk.h"
#include "args.h"

void hello(const void* args) {
  const hello_args* a = (const hello_args*)args;
  OKKERNEL_ASSERT(a->number >= 0);
  OKKERNEL_LOG("hello from %d NPUs, %u KB of local memory each\n", okk_npu_num(),
               okk_local_mem_size_per_npu() / 1024);
  x32 twice = {.fp32 = 2.0f * a->number};
  dim4 one = {.n = 1, .c = 1, .h = 1, .w = 1};

  okk_initialize();
  okk_gdma_32bit_set_C_system(a->answer_addr, twice, &one, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(hello)
