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

extern "C" void throws(const void*) {  // @throws
  break_a_rule();
  throw std::runtime_error("no such plan");
}
REGISTER(throws)
