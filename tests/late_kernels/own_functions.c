// A module of kernels that brings functions of its own under the names of the other interface, as
// code does that was written for one and carried over to the other.
#include <stdio.h>

#include "tpu_kernel.h"

void okk_initialize(void) {
  tpu_initialize();
  printf("its own okk_initialize\n");
}

void carried_over(const void* args) {
  (void)args;
  okk_initialize();
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(carried_over)
