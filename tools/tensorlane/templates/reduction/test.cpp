// Runs the kernel on matrices of many sizes and compares every sum with a plain loop in double.
// 用许多大小的矩阵运行 kernel，把每个和与双精度的朴素循环比较。
#include <cmath>
#include <cstdio>

#include "run.h"

static bool test(Device& device, int rows, int cols) {
  std::vector<float> input(static_cast<std::size_t>(rows) * cols);
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] = 0.01f * static_cast<float>(i * 37 % 1001) - 5.0f;
  const std::vector<float> output = run_my_kernel(device, input, rows, cols);
  for (int row = 0; row < rows; ++row) {
    double want = 0, size = 0;
    for (int col = 0; col < cols; ++col) {
      const float x = input[static_cast<std::size_t>(row) * cols + col];
      want += x;
      size += std::fabs(x);
    }
    // fp32 adds in another order: the error grows with what is added, not with the sum.
    // fp32 相加的次序不同：误差随相加的数增长，而不是随和增长。
    if (!(std::fabs(output[row] - want) <= 1e-5 * size)) {
      std::printf("fail: %d x %d: the sum of row %d is %g, not %g\n", rows, cols, row, output[row],
                  want);
      return false;
    }
  }
  return true;
}

int main() {
  Device device;
  int failures = 0;
  // One element, one row, one column, all NPUs, a tail of rows, rows of several parts.
  // 一个元素；一行；一列；全部 NPU；多出几行；一行分几段。
  const int sizes[][2] = {{1, 1}, {1, 500}, {70, 1}, {64, 64}, {130, 33}, {3, 20000}};
  for (const auto& size : sizes) failures += test(device, size[0], size[1]) ? 0 : 1;
  std::puts(failures == 0 ? "pass" : "fail");
  return failures == 0 ? 0 : 1;
}
