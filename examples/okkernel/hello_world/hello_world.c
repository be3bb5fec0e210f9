// Device side: the smallest kernel. It says hello and proves that the arguments arrived.
#include "hello_world.h"

#include "okk.h"

void hello_world(const void* args) {
  const hello_world_args* param = (const hello_world_args*)args;
  OKKERNEL_ASSERT(param->magic == HELLO_WORLD_MAGIC);
  OKKERNEL_LOG("Hello from a device with %d NPUs of %u KB local memory each.\n", okk_npu_num(),
               okk_local_mem_size_per_npu() / 1024);
  x32 answer = {.fp32 = 42.0f};
  dim4 one = {.n = 1, .c = 1, .h = 1, .w = 1};
  okk_initialize();
  okk_gdma_32bit_set_C_system(param->answer_addr, answer, &one, 0);
  okk_poll();
}
OKKERNEL_FUNC_REGISTER(hello_world)
