// How depthwise convolution and pooling divide their outputs: bands of rows of one channel, small
// enough that planes and results of a band stay in the first-level cache.
#ifndef TENSORLANE_COMPUTE_BANDS_CHANNEL_BANDS_H_
#define TENSORLANE_COMPUTE_BANDS_CHANNEL_BANDS_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/phase_planes.h"
#include "tensorlane/compute/bands/window2d.h"

namespace tensorlane {

struct ChannelBand {
  int channel = 0;
  int image = 0;
  int first_row = 0;
  int rows = 0;
};

// Their order is all images of a channel, then the next channel. Small ones are worked on in
// groups, each step for all of a group: what a step wrote has reached the cache when the next one
// reads it, in vectors that begin elsewhere. (A load that a store before it covers in part waits
// for the cache.)
class ChannelBands {
 public:
  ChannelBands(int images, int channels, const Window2d& window, int input_h, int input_w)
      : images_(images),
        channels_(channels),
        output_h_(window.output_h),
        output_w_(window.output_w),
        rows_(choose_rows(window, input_h, input_w)),
        of_image_((window.output_h + rows_ - 1) / rows_) {}

  int most_rows() const { return rows_; }
  std::int64_t count() const { return std::int64_t{images_} * channels_ * of_image_; }
  // Of all bands, in multiply-adds, where an output is a sum of `steps`.
  std::int64_t work(std::int64_t steps) const {
    constexpr std::int64_t kLayoutCost = 32;  // of laying out and storing an output
    return std::int64_t{images_} * channels_ * output_h_ * output_w_ * (kLayoutCost + steps);
  }

  // How many bands to a group, where one takes so many words. All begin at the same row.
  int group(std::int64_t words) const {
    if (of_image_ > 1) return 1;
    return static_cast<int>(std::clamp<std::int64_t>(kGroupWords / words, 1, kMostInGroup));
  }
  // visit(group) for bands [begin, end) in order, in groups of `group`.
  template <class Visit>
  void visit(std::int64_t begin, std::int64_t end, int group, Visit visit) const {
    std::array<ChannelBand, kMostInGroup> bands;
    auto band = static_cast<int>(begin % of_image_);
    auto image = static_cast<int>(begin / of_image_ % images_);
    auto channel = static_cast<int>(begin / of_image_ / images_);
    for (std::int64_t i = begin, count = 0; i < end; ++i) {
      const int first = band * rows_;
      bands[static_cast<std::size_t>(count++)] = {channel, image, first,
                                                  std::min(rows_, output_h_ - first)};
      if (count == group || i + 1 == end) {
        visit(std::span<const ChannelBand>(bands.data(), static_cast<std::size_t>(count)));
        count = 0;
      }
      if (++band < of_image_) continue;
      band = 0;
      if (++image < images_) continue;
      image = 0;
      ++channel;
    }
  }

  static constexpr int kMostInGroup = 16;

 private:
  static constexpr std::int64_t kGroupWords = 4 * 1024;

  static int choose_rows(const Window2d& window, int input_h, int input_w) {
    constexpr std::int64_t kBandWords = 4 * 1024;
    const std::int64_t one_row = PhasePlanes(window, input_h, input_w, 1).channel_size();
    const std::int64_t row = PhasePlanes(window, input_h, input_w, 2).channel_size() - one_row;
    return static_cast<int>(
        std::clamp<std::int64_t>((kBandWords - one_row) / row + 1, 1, window.output_h));
  }

  int images_;
  int channels_;
  int output_h_;
  int output_w_;
  int rows_;
  int of_image_;
};

// Where row `row` of the channels of some bands begins.
inline void find_rows(const LocalView& tensor, std::span<const ChannelBand> bands, int row,
                      std::byte** rows) {
  int channel = -1;
  std::byte* first = nullptr;
  for (const ChannelBand& band : bands) {
    if (band.channel != channel) first = tensor.address(0, channel = band.channel, row, 0);
    *rows++ = first + band.image * tensor.n * tensor.element_bytes;
  }
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_CHANNEL_BANDS_H_
