// Softmax of matrices of several sizes against the definition in double.
#include "../common/host.h"
#include "softmax.h"

static int run(example::Device& device, int rows, int cols) {
  const std::size_t count = static_cast<std::size_t>(rows) * cols;
  std::vector<std::uint16_t> input;
  for (const float x : example::random_floats(count, -12.0f, 12.0f))
    input.push_back(example::to_half(x));
  std::vector<double> want(count);
  for (int r = 0; r < rows; ++r) {
    double sum = 0;
    for (int c = 0; c < cols; ++c) {
      want[r * cols + c] = std::exp(example::from_half(input[r * cols + c]));
      sum += want[r * cols + c];
    }
    for (int c = 0; c < cols; ++c) want[r * cols + c] /= sum;
  }
  const example::Buffer<std::uint16_t> input_memory(device, input);
  const example::Buffer<std::uint16_t> output_memory(device, count);
  const softmax_args args = {output_memory.address(), input_memory.address(), rows, cols};
  device.launch("softmax", args);
  std::vector<float> got;
  for (const std::uint16_t bits : output_memory.download()) got.push_back(example::from_half(bits));
  return example::report("softmax", got, want, 5e-4);  // half a unit of fp16 below 1
}

int main() {
  example::Device device;
  int failures = 0;
  failures += run(device, 1, 1);
  failures += run(device, 64, 1000);
  failures += run(device, 197, 197);
  failures += run(device, 12, 2048);
  return failures == 0 ? 0 : 1;
}
