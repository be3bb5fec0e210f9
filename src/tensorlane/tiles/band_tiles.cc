#include "tensorlane/tiles/band_tiles.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/tiles/scratch.h"
#include "tensorlane/tiles/tasks.h"

namespace tensorlane {
namespace {

// Most scratch words for a band and for the weights: 512 MiB, which only operands that repeat
// themselves (stride 0) or huge dilations exceed.
constexpr std::int64_t kMostWords = 1LL << 27;
// Inputs of the tiles that follow each other with the same weights: in the second-level cache.
constexpr std::int64_t kGroupWords = 32 * 1024;
// Packing copies this many words at a time and may overrun a run by as many.
constexpr int kCopyWords = 8;

std::int64_t multiply_adds(const ProductFrame& frame, std::int64_t steps) {
  return std::int64_t{frame.n} * frame.rows * frame.window.output_h * frame.window.output_w * steps;
}

}  // namespace

template <class Word>
BandTiles<Word>::BandTiles(const ProductFrame& frame, const TileShape& shape, std::int64_t steps)
    : frame_(frame),
      shape_(shape),
      multiply_adds_(multiply_adds(frame, steps)),
      weight_count_(frame.rows * steps),
      threads_(thread_count(multiply_adds_)),
      bands_(frame_, shape, threads_),
      blocks_((frame.rows + shape.rows - 1) / shape.rows) {}

template <class Word>
bool BandTiles<Word>::fits() const {
  return bands_.image_words() <= kMostWords && weight_count_ <= kMostWords;
}

template <class Word>
void BandTiles<Word>::add_step(int channel, int kernel_h, int kernel_w) {
  const auto plane = static_cast<std::int32_t>(channel * bands_.planes().channel_size());
  const std::int32_t input = plane + bands_.planes().offset(kernel_h, kernel_w);
  const auto packed = static_cast<std::int32_t>(inputs_.size()) * shape_.width;
  inputs_.push_back(input);
  offsets_.push_back(bands_.packed() ? packed : input);
}

template <class Word>
int BandTiles<Word>::rows_of(int block) const {
  return std::min(shape_.rows, frame_.rows - block * shape_.rows);
}

template <class Word>
Word* BandTiles<Word>::block_weights(int block) const {
  return weights_.get() + static_cast<std::size_t>(block) * shape_.rows * inputs_.size();
}

// Per block of rows: [step][row of the block].
template <class Word>
void BandTiles<Word>::pack_weights(const std::function<void(int row, Word* to, int stride)>& pack) {
  weights_ = hwy::AllocateAligned<Word>(static_cast<std::size_t>(weight_count_));
  for_each_task(blocks_, weight_count_, [&](std::int64_t i) {
    const int block = static_cast<int>(i);
    const int rows = rows_of(block);
    for (int r = 0; r < rows; ++r) {
      pack(block * shape_.rows + r, block_weights(block) + r, rows);
    }
  });
}

template <class Word>
void BandTiles<Word>::run(const Word* padding, const RunTile& run_tile) const {
  const std::vector<Band>& bands = bands_.bands();
  // Splitting the rows repeats the layout work: only to occupy idle threads.
  const auto count = static_cast<int>(bands.size());
  const int groups = std::clamp(threads_ / count, 1, blocks_);
  for_each_task(std::int64_t{count} * groups, multiply_adds_, [&](std::int64_t i) {
    const int group = static_cast<int>(i % groups);
    run_band(bands[static_cast<std::size_t>(i / groups)], padding, blocks_ * group / groups,
             blocks_ * (group + 1) / groups, run_tile);
  });
}

// Short sums leave a tile's outputs as the bulk of the traffic; a few tiles per block of rows turn
// them into longer writes. Packed inputs are one tile's.
template <class Word>
std::size_t BandTiles<Word>::tiles_per_group() const {
  if (bands_.packed()) return 1;
  const auto tile_words = static_cast<std::int64_t>(inputs_.size()) * shape_.width;
  return static_cast<std::size_t>(std::clamp<std::int64_t>(kGroupWords / tile_words, 1, 8));
}

template <class Word>
void BandTiles<Word>::run_band(const Band& band, const Word* padding, int first_block,
                               int end_block, const RunTile& run_tile) const {
  const Word* planes = lay_out(band, padding);
  Word* panel = nullptr;
  if (bands_.packed()) {
    panel = thread_scratch<1, Word>(inputs_.size() * shape_.width + kCopyWords);
  }
  std::vector<Positions> group(tiles_per_group());
  const std::int64_t positions = bands_.positions(band);
  for (std::int64_t q = 0; q < positions;) {
    std::size_t tiles = 0;
    for (; tiles < group.size() && q < positions; ++tiles, q += shape_.width) {
      Positions& tile = group[tiles];
      tile.first = q;
      tile.count = static_cast<int>(std::min<std::int64_t>(shape_.width, positions - q));
      bands_.list_runs(band, q, tile.count, tile.runs);
    }
    if (bands_.packed()) pack_inputs(planes, group[0], panel);
    for (int block = first_block; block < end_block; ++block) {
      for (std::size_t i = 0; i < tiles; ++i) {
        run_tile({block * shape_.rows, rows_of(block), group[i].count,
                  bands_.packed() ? panel : planes + group[i].first, offsets_.data(),
                  block_weights(block), group[i].runs});
      }
    }
  }
}

template <class Word>
const Word* BandTiles<Word>::lay_out(const Band& band, const Word* padding) const {
  const std::int64_t size = bands_.planes().channel_size();
  const std::int64_t all = bands_.image_words() * band.images;
  // Tiles and copies read whole vectors: the slack behind the planes is zero, not arbitrary.
  const std::int64_t slack = shape_.width + kCopyWords;
  Word* planes = thread_scratch<0, Word>(static_cast<std::size_t>(all + slack));
  Word* to = planes;
  for (int image = 0; image < band.images; ++image) {
    for (int c = 0; c < frame_.channels; ++c, to += size) {
      bands_.planes().fill(frame_.input, band.first_image + image, c, band.first_row,
                           padding == nullptr ? Word{} : padding[c], to);
    }
  }
  std::fill_n(to, slack, Word{});
  return planes;
}

// Writes the inputs of a tile to the panel: [step][position].
template <class Word>
void BandTiles<Word>::pack_inputs(const Word* planes, const Positions& tile, Word* panel) const {
  Word* to = panel;
  for (const std::int32_t input : inputs_) {
    const Word* from = planes + input;
    for (const Run& run : tile.runs) {  // ascending: a run overwrites the overrun before it
      for (int i = 0; i < run.count; i += kCopyWords) {
        std::memcpy(to + run.at + i, from + run.planes + i, kCopyWords * sizeof(Word));
      }
    }
    if (tile.count < shape_.width) std::fill(to + tile.count, to + shape_.width, Word{});
    to += shape_.width;
  }
}

template class BandTiles<float>;
template class BandTiles<std::int32_t>;

}  // namespace tensorlane
