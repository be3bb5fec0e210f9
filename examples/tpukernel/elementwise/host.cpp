// Normalises images of several sizes; every element must be right to the bit.
#include "../common/host.h"
#include "elementwise.h"

static int run(example::Device& device, int count) {
  const float scale = 0.75f, offset = -60.5f;
  const std::vector<std::uint8_t> input =
      example::random_integers<std::uint8_t>(static_cast<std::size_t>(count), 0, 255);
  std::vector<double> want;
  for (const std::uint8_t x : input) {
    // One rounding to fp16 per step, as on the chip.
    const float product = example::from_half(example::to_half(x * scale));
    const float sum = example::from_half(example::to_half(product + offset));
    want.push_back(std::fmin(127.0, std::nearbyint(std::fmax(sum, 0.0f))));
  }
  const example::Buffer<std::uint8_t> input_memory(device, input);
  const example::Buffer<std::int8_t> output_memory(device, input.size());
  const normalize_args args = {output_memory.address(), input_memory.address(), count, scale,
                               offset};
  device.launch("normalize", args);
  return example::report("normalize", output_memory.download(), want, 0);
}

int main() {
  example::Device device;
  int failures = 0;
  for (const int count : {1, 63, 64, 1000, 64 * 4096, 3 * 224 * 224, 3 * 640 * 480 + 17})
    failures += run(device, count);
  return failures == 0 ? 0 : 1;
}
