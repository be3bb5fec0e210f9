// Packs the weight for the convolution engine, launches, checks against plain loops.
#include "../common/host.h"
#include "../common/nn_reference.h"
#include "conv2d.h"

// OC x IC x KH x KW floats to 2IC storage: for every pair of input channels, output channel and tap
// the two values of the pair. The partner of the last channel of an odd IC is a dummy.
static std::vector<float> pack_2ic(const std::vector<float>& weight, int ic, int oc, int taps) {
  const int pairs = (ic + 1) / 2;
  std::vector<float> packed(static_cast<std::size_t>(pairs) * oc * taps * 2, 0.0f);
  for (int o = 0; o < oc; ++o)
    for (int i = 0; i < ic; ++i)
      for (int t = 0; t < taps; ++t)
        packed[((static_cast<std::size_t>(i / 2) * oc + o) * taps + t) * 2 + i % 2] =
            weight[(static_cast<std::size_t>(o) * ic + i) * taps + t];
  return packed;
}

static int run(example::Device& device, const char* name, int n, int ic, int oc, int h, int w,
               example::Window y, example::Window x, bool using_bias) {
  const int taps = y.kernel * x.kernel;
  const auto input =
      example::random_floats(static_cast<std::size_t>(n) * ic * h * w, 0.1f, 1.0f, 1);
  const auto weight =
      example::random_floats(static_cast<std::size_t>(oc) * ic * taps, 0.1f, 1.0f, 2);
  const auto bias = example::random_floats(static_cast<std::size_t>(oc), 0.1f, 1.0f, 3);
  const auto want = example::conv2d_reference(
      input, weight, using_bias ? bias : std::vector<float>(), n, ic, oc, h, w, y, x, 1);

  example::Buffer output_memory(device, want.size());
  example::Buffer input_memory(device, input);
  example::Buffer weight_memory(device, pack_2ic(weight, ic, oc, taps));
  example::Buffer bias_memory(device, bias);
  conv2d_args args = {n,
                      ic,
                      oc,
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
  device.launch("conv2d", args);
  return example::report(name, output_memory.download(), want, 1e-4);
}

int main() {
  example::Device device;
  int failures = 0;
  failures += run(device, "conv2d 3x3", 2, 16, 32, 28, 28, {3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}, true);
  failures += run(device, "conv2d 7x7 odd channels, stride 2", 1, 3, 70, 64, 60, {7, 3, 3, 2, 1},
                  {7, 3, 3, 2, 1}, false);
  failures +=
      run(device, "conv2d 3x1 dilated", 1, 65, 24, 20, 33, {3, 2, 2, 1, 2}, {1, 0, 0, 1, 1}, true);
  return failures == 0 ? 0 : 1;
}
