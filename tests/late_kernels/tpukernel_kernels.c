// What a TPUKernel kernel sees of its chip.
#include <tpu_kernel.h>

const char* launch_function = "tpu_kernel_launch_sync";
int npus, npu_bytes;

void look(const void* args) {
  (void)args;
  tpu_initialize();
  npus = tpu_npu_num();
  npu_bytes = tpu_local_mem_size_per_npu();
}
TPUKERNEL_FUNC_REGISTER(look)
