// The loops of quantize.h in vectors, channel by channel.
//
// Elements are widened to words. Integers are multiplied to 64 bits, or 32 where that holds them,
// shifted with rounding there and saturated; fp32 is computed as it is.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_WORDS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_WORDS_H_

#include <cstdint>

#include "tensorlane/compute/products/quantize.h"

namespace tensorlane {

// Where channels begin: of short rows a division of 64 bits takes as long as some of them.
class ChannelPlaces {
 public:
  explicit ChannelPlaces(const LocalView& view)
      : base_(view.memory + view.offset),
        start_(static_cast<std::uint32_t>(view.start_npu)),
        npus_(static_cast<std::uint32_t>(view.npus)),
        npu_bytes_(view.npu_bytes),
        next_(view.c * view.element_bytes) {}
  std::byte* begin(int channel) const {
    const std::uint32_t place = start_ + static_cast<std::uint32_t>(channel);
    return base_ + std::int64_t{place % npus_} * npu_bytes_ + std::int64_t{place / npus_} * next_;
  }

 private:
  std::byte* base_;
  std::uint32_t start_, npus_;
  std::int64_t npu_bytes_, next_;
};

// Whether `quantize_channels` takes the call: its rounding, and for differences that are rounded
// the numbers of all its channels.
bool quantizes_channels(const QuantArgs& args);

// The rows of a channel in one batch: `count` of them, `length` elements side by side in each.
struct QuantRows {
  std::int64_t count;
  std::int64_t length;
};

// Batches and channels [begin, end), counted channel by channel: all batches of the first one come
// first. In the chips' float environment.
void quantize_channels(const QuantArgs& args, const QuantRows& rows, std::int64_t begin,
                       std::int64_t end);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_WORDS_H_
