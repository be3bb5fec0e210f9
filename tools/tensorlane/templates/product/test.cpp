// Runs the kernel on matrices of many sizes and compares every element with a plain loop.
// 用许多大小的矩阵运行 kernel，把每个元素与朴素的循环比较。
#include <cstdio>

#include "run.h"

// Small whole numbers: their sums of products are exact, in every order.
// 小整数：乘积之和是精确的，与相加次序无关。
static std::vector<float> numbers(int count) {
  std::vector<float> data(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) data[i] = static_cast<float>(i * 37 % 17) - 8;
  return data;
}

static bool test(Device& device, int rows, int inner, int cols) {
  const std::vector<float> left = numbers(rows * inner), right = numbers(inner * cols);
  std::vector<float> want(static_cast<std::size_t>(rows) * cols);
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < inner; ++k) {
      for (int c = 0; c < cols; ++c)
        want[r * cols + c] += left[r * inner + k] * right[k * cols + c];
    }
  }
  const std::vector<float> output = run_my_kernel(device, left, right, rows, inner, cols);
  for (std::size_t i = 0; i < want.size(); ++i) {
    if (output[i] == want[i]) continue;
    std::printf("fail: %d x %d x %d: element %zu is %g, not %g\n", rows, inner, cols, i, output[i],
                want[i]);
    return false;
  }
  return true;
}

int main() {
  Device device;
  int failures = 0;
  // One element, a row, a column, all NPUs, and several tiles of every dimension.
  // 一个元素；一行；一列；全部 NPU；每一维都有好几块。
  const int sizes[][3] = {{1, 1, 1},    {1, 300, 7},    {65, 9, 1},
                          {64, 64, 64}, {50, 200, 300}, {129, 600, 1030}};
  for (const auto& size : sizes) failures += test(device, size[0], size[1], size[2]) ? 0 : 1;
  std::puts(failures == 0 ? "pass" : "fail");
  return failures == 0 ? 0 : 1;
}
