#include <limits>
#include <vector>

#include "tensorlane/compute/windows/fp32_channel_windows.h"
#include "tensorlane/compute/windows/fp32_pool2d.h"

namespace tensorlane {
namespace {

ChannelWindows windows(const Pool2dArgs& args, float padding) {
  return {args.input,   args.output,  args.n,      args.c,
          args.input_h, args.input_w, args.window, padding};
}

}  // namespace

bool avg_pool2d_simd(const Pool2dArgs& args) {
  const int positions = args.window.kernel_h * args.window.kernel_w;
  const std::vector<float> weights(static_cast<std::size_t>(positions),
                                   1.0F / static_cast<float>(positions));
  return for_each_channel_band(windows(args, 0.0F), [&](const WindowTile<float>& tile, int) {
    sum_windows(tile, weights.data(), nullptr);
  });
}

bool max_pool2d_simd(const Pool2dArgs& args) {
  return for_each_channel_band(windows(args, std::numeric_limits<float>::lowest()),
                               [](const WindowTile<float>& tile, int) { max_windows(tile); });
}

}  // namespace tensorlane
