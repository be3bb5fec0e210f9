// Runs the four plus_one kernels on shapes they were made for and checks every element.
#include "../common/host.h"
#include "plus_one.h"

static int run(example::Device& device, const char* kernel, int n, int c, int h, int w) {
  const std::size_t count = static_cast<std::size_t>(n) * c * h * w;
  const std::vector<float> input = example::random_floats(count, -100.0f, 100.0f);
  std::vector<double> want(count);
  for (std::size_t i = 0; i < count; ++i)
    want[i] = input[i] + 1.0f;  // one rounding, as on the chip

  example::Buffer input_memory(device, input);
  example::Buffer output_memory(device, count);
  plus_one_args args = {.N = n,
                        .C = c,
                        .H = h,
                        .W = w,
                        .output_addr = output_memory.address(),
                        .input_addr = input_memory.address()};
  device.launch(kernel, args);
  return example::report(kernel, output_memory.download(), want, 0.0);
}

int main() {
  example::Device device;
  int failures = 0;
  failures += run(device, "plus_one_whole", 4, 64, 28, 28);
  failures += run(device, "plus_one_pingpong", 5, 70, 28, 28);
  failures += run(device, "plus_one_parts", 131, 64, 32, 32);  // more than local memory holds
  failures +=
      run(device, "plus_one_reshaped", 7, 3, 331, 409);       // C = 3, length a multiple of nothing
  failures += run(device, "plus_one_reshaped", 1, 1, 1, 37);  // fewer elements than NPUs
  return failures == 0 ? 0 : 1;
}
