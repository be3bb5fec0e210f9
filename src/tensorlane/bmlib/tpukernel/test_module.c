/* A module with one kernel: counts up behind the host's pointer. */
#include <stdint.h>

#include "tpu_kernel.h"

void count_up(const void* args) {
  tpu_initialize();
  ++*(int*)*(const uintptr_t*)args;
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(count_up)
