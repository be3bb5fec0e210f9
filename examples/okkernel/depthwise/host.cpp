// Launches the depthwise kernel and checks it against plain loops.
#include "../common/host.h"
#include "../common/nn_reference.h"
#include "depthwise.h"

static int run(example::Device& device, const char* name, int n, int c, int h, int w,
               example::Window y, example::Window x, bool using_bias) {
  const int taps = y.kernel * x.kernel;
  const auto input = example::random_floats(static_cast<std::size_t>(n) * c * h * w, 0.1f, 1.0f, 1);
  const auto weight = example::random_floats(static_cast<std::size_t>(c) * taps, 0.1f, 1.0f, 2);
  const auto bias = example::random_floats(static_cast<std::size_t>(c), 0.1f, 1.0f, 3);
  const auto want = example::conv2d_reference(
      input, weight, using_bias ? bias : std::vector<float>(), n, c, c, h, w, y, x, c);

  example::Buffer output_memory(device, want.size());
  example::Buffer input_memory(device, input);
  example::Buffer weight_memory(device, weight);
  example::Buffer bias_memory(device, bias);
  depthwise_args args = {n,
                         c,
                         h,
                         w,
                         y.kernel,
                         x.kernel,
                         y.before,
                         y.after,
                         x.before,
                         x.after,
                         y.step,
                         x.step,
                         y.dilation,
                         x.dilation,
                         using_bias ? 1 : 0,
                         output_memory.address(),
                         input_memory.address(),
                         weight_memory.address(),
                         bias_memory.address()};
  device.launch("depthwise", args);
  return example::report(name, output_memory.download(), want, 1e-4);
}

int main() {
  example::Device device;
  int failures = 0;
  failures += run(device, "depthwise 3x3", 4, 96, 28, 28, {3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}, true);
  failures += run(device, "depthwise 5x5 stride 2", 1, 130, 29, 31, {5, 2, 2, 2, 1},
                  {5, 2, 2, 2, 1}, false);
  failures += run(device, "depthwise 3x3 dilated by 4", 2, 3, 28, 28, {3, 4, 4, 1, 4},
                  {3, 4, 4, 1, 4}, true);
  return failures == 0 ? 0 : 1;
}
