// Runs the kernel on tensors of many sizes and compares every element with a plain loop.
// 用许多大小的张量运行 kernel，把每个元素与朴素的循环比较。
#include <cstdio>

#include "run.h"

static bool test(Device& device, std::size_t count) {
  std::vector<float> input(count);
  for (std::size_t i = 0; i < count; ++i) input[i] = 0.25f * static_cast<float>(i % 1001) - 100.0f;
  const std::vector<float> output = run_my_kernel(device, input, 3.0f);
  for (std::size_t i = 0; i < count; ++i) {
    const float want = input[i] * 3.0f;
    if (output[i] != want) {
      std::printf("fail: %zu elements: element %zu is %g, not %g\n", count, i, output[i], want);
      return false;
    }
  }
  return true;
}

int main() {
  Device device;
  int failures = 0;
  // One element, fewer than NPUs, a whole row of them, a tail, more than local memory holds.
  // 一个元素；少于 NPU 个数；正好一排；带尾巴；本地内存装不下。
  for (std::size_t count : {1u, 63u, 64u, 65u, 1000u, 64u * 4096u + 17u, 5000000u})
    failures += test(device, count) ? 0 : 1;
  std::puts(failures == 0 ? "pass" : "fail");
  return failures == 0 ? 0 : 1;
}
