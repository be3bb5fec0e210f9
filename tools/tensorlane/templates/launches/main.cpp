// Runs both kernels once and shows what they made of a few numbers.
// 两个 kernel 各运行一次，打印它们对几个数的结果。
#include <cstdio>

#include "run.h"

int main() {
  Device device;
  for (float value : run_my_kernel(device, {1.0f, 2.0f, 3.0f, 10.0f}, 2, 2))
    std::printf("%g\n", value);
  return 0;
}
