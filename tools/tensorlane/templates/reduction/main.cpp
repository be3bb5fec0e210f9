// Runs the kernel once and shows what it made of a few numbers.
// 运行一次 kernel，打印它对几个数的结果。
#include <cstdio>

#include "run.h"

int main() {
  Device device;
  for (float value : run_my_kernel(device, {1.0f, 2.0f, 3.0f, -1.0f, 0.5f, 0.25f}, 2, 3))
    std::printf("%g\n", value);
  return 0;
}
