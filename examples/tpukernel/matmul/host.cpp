// int8 matrix products of several sizes; every element must be right to the bit.
#include "../common/host.h"
#include "matmul.h"

static int run(example::Device& device, int rows, int inner, int cols) {
  const std::vector<std::int8_t> left =
      example::random_integers<std::int8_t>(static_cast<std::size_t>(rows) * inner, -128, 127, 1);
  const std::vector<std::int8_t> right =
      example::random_integers<std::int8_t>(static_cast<std::size_t>(inner) * cols, -128, 127, 2);
  const int zero = 3, multiplier = 1250, shift = 24, offset = -7;
  std::vector<double> want(static_cast<std::size_t>(rows) * cols);
  for (int r = 0; r < rows; ++r) {
    for (int c = 0; c < cols; ++c) {
      std::int64_t sum = 0;
      for (int k = 0; k < inner; ++k) sum += left[r * inner + k] * (right[k * cols + c] - zero);
      const double scaled = std::round(std::ldexp(static_cast<double>(sum * multiplier), -shift));
      want[r * cols + c] = std::fmin(127, std::fmax(-128, scaled + offset));
    }
  }
  const example::Buffer<std::int8_t> left_memory(device, left), right_memory(device, right),
      output_memory(device, want.size());
  const matmul_args args = {output_memory.address(),
                            left_memory.address(),
                            right_memory.address(),
                            rows,
                            inner,
                            cols,
                            zero,
                            multiplier,
                            shift,
                            offset};
  device.launch("matmul", args);
  return example::report("matmul", output_memory.download(), want, 0);
}

int main() {
  example::Device device;
  int failures = 0;
  failures += run(device, 1, 1, 1);
  failures += run(device, 64, 256, 128);
  failures += run(device, 197, 768, 300);
  return failures == 0 ? 0 : 1;
}
