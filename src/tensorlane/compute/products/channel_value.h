// A number of a call that is the same for all channels, or comes from a tensor with one per
// channel.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_CHANNEL_VALUE_H_
#define TENSORLANE_COMPUTE_PRODUCTS_CHANNEL_VALUE_H_

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/element_io.h"

namespace tensorlane {

struct ChannelValue {
  bool per_channel = false;
  std::int64_t value = 0;  // for all channels
  LocalView view{};        // per channel: element (0, channel, 0, at)
  Dtype type = Dtype::kInt8;
  int at = 0;

  std::int64_t of(int channel) const {
    return per_channel ? load_integer(view.address(0, channel, 0, at), type) : value;
  }
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_CHANNEL_VALUE_H_
