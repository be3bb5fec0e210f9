// A semicolon after OKKERNEL_FUNC_REGISTER is allowed too (pedantic C calls it superfluous).
#include "okk.h"

static void kernel(const void* args) {
  (void)args;
}
OKKERNEL_FUNC_REGISTER(kernel);
