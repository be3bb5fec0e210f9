// Runs the kernels on matrices of many sizes and compares every element with a loop in double.
// 用许多大小的矩阵运行 kernel，把每个元素与双精度的循环比较。
#include <cmath>
#include <cstdio>

#include "run.h"

static bool test(Device& device, int rows, int cols) {
  std::vector<float> input(static_cast<std::size_t>(rows) * cols);
  for (std::size_t i = 0; i < input.size(); ++i)
    input[i] = 0.01f * static_cast<float>(i * 37 % 1001) - 5.0f;
  const std::vector<float> output = run_my_kernel(device, input, rows, cols);
  for (int row = 0; row < rows; ++row) {
    const std::size_t begin = static_cast<std::size_t>(row) * cols;
    double sum = 0;
    for (int col = 0; col < cols; ++col) sum += input[begin + col];
    for (int col = 0; col < cols; ++col) {
      const double want = input[begin + col] - sum / cols;
      if (std::fabs(output[begin + col] - want) <= 1e-4) continue;
      std::printf("fail: %d x %d: row %d, column %d is %g, not %g\n", rows, cols, row, col,
                  output[begin + col], want);
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
