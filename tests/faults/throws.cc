// A kernel in C++ that throws. The same rules as in kernels.c.
#include <stdexcept>

#ifdef BACKEND_1684X
#include "tpu_kernel.h"
#define REGISTER TPUKERNEL_FUNC_REGISTER
#else
#include "okk.h"
#define REGISTER OKKERNEL_FUNC_REGISTER
#endif

extern "C" void break_a_rule();

static __attribute__((noinline)) void look_up(int plan) {
  if (plan >= 0) throw std::runtime_error("no such plan");  // @throws
}

extern "C" void throws(const void*) {
  break_a_rule();
  look_up(3);
}
REGISTER(throws)
