// An assertion as the vendor's own header has it with USING_CMODEL.
// expect TL-ARGS-003 call
#include <stdio.h>
#include <stdlib.h>
#include "tpu_kernel.h"

int get_atomic_cmodel_assert_enable(void);
void __print_trace(void);
#define VENDOR_ASSERT(condition)                                    \
  do {                                                              \
    if (get_atomic_cmodel_assert_enable() && !(condition)) {        \
      printf("ASSERT %s:%d: %s\n", __FILE__, __LINE__, #condition); \
      __print_trace();                                              \
      exit(233);                                                    \
    }                                                               \
  } while (0)

typedef struct {
  global_addr_t input, output;
} __attribute__((packed)) args_t;

void kernel(const void* args) {
  const args_t* a = args;
  tpu_initialize();
  VENDOR_ASSERT(a->input % 128 == 1);  // @call
  tpu_poll();
}
TPUKERNEL_FUNC_REGISTER(kernel)
