// How fast products divide their outputs.
//
// A band is what one task lays out as phase planes: a range of output rows of one image, or several
// whole images. Tiles take consecutive positions of a band. Positions are either those of the phase
// planes, read in place, where each output row carries some by-products (PhasePlanes), or the
// outputs alone, one after the other, in which case the inputs of a tile are first packed. Packing
// pays for small images and many output channels.
#ifndef TENSORLANE_COMPUTE_BANDS_OUTPUT_BANDS_H_
#define TENSORLANE_COMPUTE_BANDS_OUTPUT_BANDS_H_

#include <cstdint>
#include <vector>

#include "tensorlane/compute/bands/phase_planes.h"
#include "tensorlane/compute/bands/product_frame.h"
#include "tensorlane/compute/tiles/chain_tile.h"

namespace tensorlane {

constexpr std::int64_t divide_up(std::int64_t a, std::int64_t b) {
  return (a + b - 1) / b;
}

struct Band {
  int first_image = 0;
  int images = 1;
  int first_row = 0;
  int rows = 1;  // of each image
};

// Consecutive positions of a tile that lie in one output row (or in several, when these touch).
struct Run {
  int at = 0;  // first position, counted from the tile's
  int count = 0;
  int image = 0;
  std::int64_t planes = 0;  // first position in the planes of the band
  std::int64_t output = 0;  // first output, in words from (image, channel, 0, 0)

  // Whether `next` goes on where this one ends.
  bool touches(const Run& next) const {
    return image == next.image && at + count == next.at && planes + count == next.planes &&
           output + count == next.output;
  }
};

class OutputBands {
 public:
  // `always_packed`: the steps of a tile would not be equally far apart in place.
  OutputBands(const ProductFrame& frame, const TileShape& tile, int threads, bool always_packed);

  const PhasePlanes& planes() const { return planes_; }
  // Words from one channel's planes to the next: not a power of two where they are large, so that
  // the channels' words for one position do not compete for the same lines of a cache.
  std::int64_t channel_pitch() const;
  // Words of all planes of one image of a band.
  std::int64_t image_words() const { return channel_pitch() * frame_.channels; }
  bool packed() const { return images_per_band_ > 0; }
  const std::vector<Band>& bands() const { return bands_; }

  std::int64_t positions(const Band& band) const;
  // The outputs among positions [first, first + count) of a band, row by row.
  void list_runs(const Band& band, std::int64_t first, int count, std::vector<Run>& runs) const;

 private:
  int choose_rows(int threads) const;
  int choose_images(int lanes, int threads, bool always_packed) const;

  const ProductFrame& frame_;
  const int rows_per_band_;
  const PhasePlanes planes_;
  const int images_per_band_;  // 0: positions are read in place, image by image
  std::vector<Band> bands_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_OUTPUT_BANDS_H_
