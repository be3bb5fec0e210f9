/* A module with one kernel: fills `count` words with FACTOR times a value. */
#include <stdint.h>

#include "tpu_kernel.h"

typedef struct {
  uint64_t output;
  int32_t value, count;
} fill_args;

int fill(const void* args) {
  const fill_args* a = args;
  const scalar_t value = {.s32 = FACTOR * a->value};
  tpu_initialize();
  tpu_gdma_system_set(a->output, value, (unsigned)a->count, DT_INT32);
  tpu_poll();
  return 0;
}
TPUKERNEL_FUNC_REGISTER(fill)
