// Layer normalisation of matrices of several sizes against the definition in double.
#include "../common/host.h"
#include "layernorm.h"

static int run(example::Device& device, int rows, int cols) {
  const std::size_t count = static_cast<std::size_t>(rows) * cols;
  const float epsilon = 1e-5f;
  const std::vector<float> input = example::random_floats(count, -3.0f, 5.0f, 1);
  const std::vector<float> gamma = example::random_floats(cols, 0.5f, 2.0f, 2);
  const std::vector<float> beta = example::random_floats(cols, -1.0f, 1.0f, 3);
  std::vector<double> want(count);
  for (int r = 0; r < rows; ++r) {
    double mean = 0, variance = 0;
    for (int c = 0; c < cols; ++c) mean += input[r * cols + c];
    mean /= cols;
    for (int c = 0; c < cols; ++c)
      variance += (input[r * cols + c] - mean) * (input[r * cols + c] - mean);
    variance /= cols;
    for (int c = 0; c < cols; ++c) {
      want[r * cols + c] =
          (input[r * cols + c] - mean) / std::sqrt(variance + epsilon) * gamma[c] + beta[c];
    }
  }
  const example::Buffer<float> input_memory(device, input), output_memory(device, count),
      gamma_memory(device, gamma), beta_memory(device, beta);
  const layernorm_args args = {output_memory.address(),
                               input_memory.address(),
                               gamma_memory.address(),
                               beta_memory.address(),
                               rows,
                               cols,
                               epsilon};
  device.launch("layernorm", args);
  return example::report("layernorm", output_memory.download(), want, 2e-5);
}

int main() {
  example::Device device;
  int failures = 0;
  failures += run(device, 1, 8);
  failures += run(device, 64, 768);
  failures += run(device, 197, 1024);
  return failures == 0 ? 0 : 1;
}
