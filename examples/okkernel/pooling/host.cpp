// Launches the pooling kernel for averages and maxima and checks it against plain loops.
#include <algorithm>
#include <cfloat>

#include "../common/host.h"
#include "../common/nn_reference.h"
#include "pooling.h"

static std::vector<double> pooling_reference(const std::vector<float>& input, int planes, int h,
                                             int w, example::Window y, example::Window x,
                                             bool is_max) {
  const int oh = y.outputs(h), ow = x.outputs(w);
  std::vector<double> output;
  output.reserve(static_cast<std::size_t>(planes) * oh * ow);
  for (int plane = 0; plane < planes; ++plane) {
    const float* in = &input[static_cast<std::size_t>(plane) * h * w];
    for (int i = 0; i < oh; ++i) {
      for (int j = 0; j < ow; ++j) {
        double sum = 0.0, largest = -FLT_MAX;
        for (int row = i * y.step - y.before; row < i * y.step - y.before + y.kernel; ++row) {
          for (int column = j * x.step - x.before; column < j * x.step - x.before + x.kernel;
               ++column) {
            if (row < 0 || row >= h || column < 0 || column >= w) continue;
            sum += in[row * w + column];
            largest = std::max(largest, static_cast<double>(in[row * w + column]));
          }
        }
        output.push_back(is_max ? largest : sum / (y.kernel * x.kernel));
      }
    }
  }
  return output;
}

static int run(example::Device& device, const char* name, int n, int c, int h, int w,
               example::Window y, example::Window x, bool is_max) {
  const auto input =
      example::random_floats(static_cast<std::size_t>(n) * c * h * w, is_max ? -1.0f : 0.1f, 1.0f);
  const auto want = pooling_reference(input, n * c, h, w, y, x, is_max);

  example::Buffer output_memory(device, want.size());
  example::Buffer input_memory(device, input);
  pooling_args args = {n,
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
                       is_max ? 1 : 0,
                       output_memory.address(),
                       input_memory.address()};
  device.launch("pooling", args);
  return example::report(name, output_memory.download(), want, is_max ? 0.0 : 1e-4);
}

int main() {
  example::Device device;
  int failures = 0;
  failures +=
      run(device, "max_pool 3x3 stride 2", 2, 64, 56, 56, {3, 1, 1, 2, 1}, {3, 1, 1, 2, 1}, true);
  failures += run(device, "avg_pool 2x2", 1, 100, 30, 34, {2, 0, 0, 2, 1}, {2, 0, 0, 2, 1}, false);
  failures += run(device, "avg_pool global", 3, 70, 7, 7, {7, 0, 0, 1, 1}, {7, 0, 0, 1, 1}, false);
  failures +=
      run(device, "avg_pool 3x3 padded", 1, 5, 9, 11, {3, 1, 1, 1, 1}, {3, 1, 1, 1, 1}, false);
  return failures == 0 ? 0 : 1;
}
