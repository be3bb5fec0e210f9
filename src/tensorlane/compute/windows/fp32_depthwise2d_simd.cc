#include <vector>

#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/windows/fp32_channel_windows.h"
#include "tensorlane/compute/windows/fp32_depthwise2d.h"

namespace tensorlane {

bool depthwise2d_simd(const Depthwise2dArgs& args) {
  const Window2d& window = args.window;
  const ChannelWindows problem{args.input,   args.output,  args.n, args.c,
                               args.input_h, args.input_w, window, 0.0F};
  return for_each_channel_band(problem, [&](const WindowTile<float>& tile, int c) {
    const float* const kernel = args.weight.at(0, c, 0, 0);
    const float* const bias = args.using_bias ? args.bias.at(0, c, 0, 0) : nullptr;
    if (has_dense_channels(args.weight, window.kernel_w)) return sum_windows(tile, kernel, bias);
    thread_local std::vector<float> weights;
    weights.clear();
    for (int kh = 0; kh < window.kernel_h; ++kh) {
      for (int kw = 0; kw < window.kernel_w; ++kw)
        weights.push_back(kernel[kh * args.weight.h + kw * args.weight.w]);
    }
    sum_windows(tile, weights.data(), bias);
  });
}

}  // namespace tensorlane
