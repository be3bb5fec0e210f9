#include "../common/host.h"
#include "args.h"

int main() {
  const int rows = 50, inner = 200, cols = 300;
  const std::vector<float> left = whole_numbers(rows * inner), right = whole_numbers(inner * cols);
  std::vector<float> want(rows * cols);
  for (int r = 0; r < rows; ++r) {
    for (int k = 0; k < inner; ++k) {
      for (int c = 0; c < cols; ++c)
        want[r * cols + c] += left[r * inner + k] * right[k * cols + c];
    }
  }

  Device device;
  const Buffer<float> a(device, left), b(device, right), to(device, want.size());
  device.launch("matmul", args_t{rows, inner, cols, to.address(), a.address(), b.address()});
  return compare("matmul", to.read(), want);
}
