// The loops of quantize.h in vectors, channel by channel.
//
// Elements are widened to words. Integers are multiplied to 64 bits, or 32 where that holds them,
// shifted with rounding there and saturated; fp32 is computed as it is.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_WORDS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_WORDS_H_

#include <cstdint>

#include "tensorlane/compute/products/quantize.h"

namespace tensorlane {

// Where channels begin, one after the other: of short rows a division takes as long as some of
// them.
class ChannelPlaces {
 public:
  ChannelPlaces(const LocalView& view, int channel)
      : npus_(static_cast<std::uint32_t>(view.npus)), npu_bytes_(view.npu_bytes) {
    const auto place =
        static_cast<std::uint32_t>(view.start_npu) + static_cast<std::uint32_t>(channel);
    const std::int64_t next = view.c * view.element_bytes;  // in the same NPU
    npu_ = place % npus_;
    begin_ = view.memory + view.offset + std::int64_t{npu_} * npu_bytes_ +
             std::int64_t{place / npus_} * next;
    back_ = next - std::int64_t{npus_} * npu_bytes_;
  }
  std::byte* begin() const { return begin_; }
  void advance() {
    begin_ += npu_bytes_;
    if (++npu_ < npus_) return;
    npu_ = 0;
    begin_ += back_;
  }

 private:
  std::byte* begin_;
  std::uint32_t npu_, npus_;
  std::int64_t npu_bytes_, back_;
};

// The numbers of `count` channels from where they stand in `quant` on, behind which `places` is
// left.
void read_numbers(const QuantArgs& args, ChannelPlaces& places, int count, QuantNumbers* to);

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
