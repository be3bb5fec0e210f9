// The common frame of depthwise convolution and pooling: every channel on its own, in bands of
// output rows, through phase planes.
#ifndef TENSORLANE_COMPUTE_WINDOWS_FP32_CHANNEL_WINDOWS_H_
#define TENSORLANE_COMPUTE_WINDOWS_FP32_CHANNEL_WINDOWS_H_

#include <functional>

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/window2d.h"
#include "tensorlane/compute/tiles/window_tile.h"

namespace tensorlane {

struct ChannelWindows {
  const LocalView& input;
  const LocalView& output;
  int n;
  int c;
  int input_h;
  int input_w;
  const Window2d& window;
  float padding;
};

// Calls compute(tile, c) for every band of every channel, all bands of a channel in turn, on any
// thread, in the chips' float environment, and stores what it leaves in tile.out. False when the
// output is not contiguous in w or a band does not fit the scratch memory; nothing is written then.
bool for_each_channel_band(
    const ChannelWindows& problem,
    const std::function<void(const WindowTile<float>& tile, int c)>& compute);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_WINDOWS_FP32_CHANNEL_WINDOWS_H_
