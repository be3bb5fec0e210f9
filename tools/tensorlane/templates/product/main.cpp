// Runs the kernel once and shows what it made of a few numbers.
// 运行一次 kernel，打印它对几个数的结果。
#include <cstdio>

#include "run.h"

int main() {
  Device device;
  const std::vector<float> left = {1, 2, 3, 4}, right = {5, 6, 7, 8};
  for (float value : run_my_kernel(device, left, right, 2, 2, 2)) std::printf("%g\n", value);
  return 0;
}
