#include "tensorlane/compute/bands/output_bands.h"

#include <algorithm>

namespace tensorlane {
namespace {

// Planes of a band should stay in the second-level cache beside the weights.
constexpr std::int64_t kBandWords = 128 * 1024;
// What packing the inputs of one vector costs, in multiply-adds of a vector.
constexpr std::int64_t kPackingCost = 16;
constexpr std::int64_t kLineWords = 16;
constexpr std::int64_t kLargePlanes = 512;

}  // namespace

OutputBands::OutputBands(const ProductFrame& frame, const TileShape& tile, int threads,
                         bool always_packed)
    : frame_(frame),
      rows_per_band_(choose_rows(threads)),
      planes_(frame.window, frame.h, frame.w, rows_per_band_),
      images_per_band_(choose_images(tile.lanes, threads, always_packed)) {
  const int images = std::max(1, images_per_band_);
  const int output_h = frame.window.output_h;
  for (int n = 0; n < frame.n; n += images) {
    for (int row = 0; row < output_h; row += rows_per_band_) {
      bands_.push_back(
          {n, std::min(images, frame.n - n), row, std::min(rows_per_band_, output_h - row)});
    }
  }
}

int OutputBands::choose_rows(int threads) const {
  const PhasePlanes one_row(frame_.window, frame_.h, frame_.w, 1);
  const PhasePlanes two_rows(frame_.window, frame_.h, frame_.w, 2);
  const std::int64_t row = (two_rows.channel_size() - one_row.channel_size()) * frame_.channels;
  const std::int64_t halo = one_row.channel_size() * frame_.channels - row;
  const int output_h = frame_.window.output_h;
  const auto in_cache = std::clamp<std::int64_t>((kBandWords - halo) / row, 1, output_h);
  // Bands of equal height, and where an image has some, as many for every thread.
  const std::int64_t least = std::max(divide_up(output_h, in_cache), divide_up(threads, frame_.n));
  if (least == 1) return output_h;
  const std::int64_t of_each = divide_up(frame_.n * least, threads);
  const std::int64_t even = divide_up(of_each * threads, frame_.n);
  return static_cast<int>(divide_up(output_h, std::min<std::int64_t>(even, output_h)));
}

std::int64_t OutputBands::channel_pitch() const {
  const std::int64_t words = planes_.channel_size();
  return words < kLargePlanes ? words : (divide_up(words, kLineWords) | 1) * kLineWords;
}

int OutputBands::choose_images(int lanes, int threads, bool always_packed) const {
  const Window2d& window = frame_.window;
  if (rows_per_band_ < window.output_h) return always_packed ? 1 : 0;
  const std::int64_t in_cache = std::max<std::int64_t>(kBandWords / image_words(), 1);
  const std::int64_t of_each = divide_up(divide_up(frame_.n, in_cache), threads);
  const auto images = static_cast<int>(divide_up(frame_.n, of_each * threads));
  const std::int64_t outputs = static_cast<std::int64_t>(window.output_h) * window.output_w;
  const std::int64_t in_place = images * divide_up(planes_.positions(window.output_h), lanes);
  const std::int64_t packed = divide_up(images * outputs, lanes);
  const bool cheaper = packed * (frame_.rows + kPackingCost) < in_place * frame_.rows;
  return always_packed || cheaper ? images : 0;
}

std::int64_t OutputBands::positions(const Band& band) const {
  return packed() ? static_cast<std::int64_t>(band.images) * band.rows * frame_.window.output_w
                  : planes_.positions(band.rows);
}

void OutputBands::list_runs(const Band& band, std::int64_t first, int count,
                            std::vector<Run>& runs) const {
  const int output_w = frame_.window.output_w;
  const int pitch = packed() ? output_w : planes_.pitch();
  auto row = static_cast<int>(first / pitch);  // of the band, through all its images
  auto column = static_cast<int>(first % pitch);
  runs.clear();
  for (int at = 0; at < count; at += pitch - column, column = 0, ++row) {
    const int in_row = std::min(count - at, output_w - column);
    if (in_row <= 0) continue;
    const int image = row / band.rows;
    const int image_row = row % band.rows;
    const Run run{at, in_row, band.first_image + image,
                  image * image_words() + image_row * planes_.pitch() + column,
                  (band.first_row + image_row) * frame_.output_pitch + column};
    if (runs.empty() || !runs.back().touches(run)) {
      runs.push_back(run);
    } else {
      runs.back().count += in_row;
    }
  }
}

}  // namespace tensorlane
