// What an OKKernel kernel sees of its chip.
#include <okk.h>

const char* launch_function = "okkernel_launch_sync";
int npus, npu_bytes;

void look(const void* args) {
  (void)args;
  okk_initialize();
  npus = okk_npu_num();
  npu_bytes = okk_local_mem_size_per_npu();
}
OKKERNEL_FUNC_REGISTER(look)
