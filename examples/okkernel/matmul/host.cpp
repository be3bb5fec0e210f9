// Launches the matmul kernel and checks it against plain loops.
#include "../common/host.h"
#include "../common/nn_reference.h"
#include "matmul.h"

static int run(example::Device& device, const char* name, int rows, int depth, int cols,
               bool using_bias) {
  const auto left = example::random_floats(static_cast<std::size_t>(rows) * depth, 0.1f, 1.0f, 1);
  const auto right = example::random_floats(static_cast<std::size_t>(depth) * cols, 0.1f, 1.0f, 2);
  const auto bias = example::random_floats(static_cast<std::size_t>(cols), 0.1f, 1.0f, 3);
  auto want = example::matmul_reference(left, right, rows, depth, cols);
  if (using_bias)
    for (std::size_t i = 0; i < want.size(); ++i) want[i] += bias[i % cols];

  example::Buffer output_memory(device, want.size());
  example::Buffer left_memory(device, left);
  example::Buffer right_memory(device, right);
  example::Buffer bias_memory(device, bias);
  matmul_args args = {rows,
                      depth,
                      cols,
                      using_bias ? 1 : 0,
                      output_memory.address(),
                      left_memory.address(),
                      right_memory.address(),
                      bias_memory.address()};
  device.launch("matmul", args);
  return example::report(name, output_memory.download(), want, 1e-4);
}

int main() {
  example::Device device;
  int failures = 0;
  failures += run(device, "matmul 64x256x1024", 64, 256, 1024, true);
  failures +=
      run(device, "matmul 7x300x1000", 7, 300, 1000, false);     // channels with a short last one
  failures += run(device, "matmul 100x33x9", 100, 33, 9, true);  // fewer columns than NPUs
  return failures == 0 ? 0 : 1;
}
