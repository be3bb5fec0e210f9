// A function of chips that came later.
// expect TL-ARGS-001 call
// repair use functions of this chip
#include "tpu_kernel.h"

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  (void)args;
  tpu_initialize();
  tpu_bdc_load_div_lut(0);  // @call
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
