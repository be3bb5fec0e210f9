#include "tensorlane/compute/bands/band_tiles.h"

#include <algorithm>
#include <cstring>

#include "tensorlane/compute/bands/padded_rows.h"
#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"

namespace tensorlane {
namespace {

// Most scratch words for a band and for the weights: 512 MiB, which only operands that repeat
// themselves (stride 0) or huge dilations exceed.
constexpr std::int64_t kMostWords = 1LL << 27;
// Inputs of the tiles that follow each other with the same weights: in the second-level cache.
constexpr std::int64_t kGroupWords = 32 * 1024;
// Packing copies this many words at a time and may overrun a run by as many.
constexpr int kCopyWords = 8;
// Up to so many blocks of rows are too few to pack for them.
constexpr int kFewBlocks = 3;

std::int64_t multiply_adds(const ProductFrame& frame, std::int64_t steps) {
  return std::int64_t{frame.n} * frame.rows * frame.window.output_h * frame.window.output_w * steps;
}

int round_up(int count, int multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

ProductFrame with_whole_groups(const ProductFrame& frame, const TileShape& shape) {
  ProductFrame filled = frame;
  filled.channels = round_up(frame.channels, shape.step_group);
  return filled;
}

// Whether more than a quarter of the steps would fill up groups.
bool mostly_filling(const ProductFrame& frame, const TileShape& shape) {
  return 4 * round_up(frame.channels, shape.step_group) > 5 * frame.channels;
}

// Whether the inputs of a tile are packed whatever the size of the images.
bool packs(const ProductFrame& frame, const TileShape& shape) {
  return mostly_filling(frame, shape) || (shape.packed && frame.rows > kFewBlocks * shape.rows);
}

}  // namespace

template <class Word>
BandTiles<Word>::BandTiles(const ProductFrame& frame, const TileShape& shape, std::int64_t steps)
    : shape_(shape),
      channels_(frame.channels),
      frame_(mostly_filling(frame, shape) ? frame : with_whole_groups(frame, shape)),
      multiply_adds_(multiply_adds(frame, steps)),
      added_steps_(steps),
      threads_(thread_count(multiply_adds_)),
      bands_(frame_, shape, threads_, packs(frame, shape)),
      blocks_((frame.rows + shape.rows - 1) / shape.rows) {}

template <class Word>
bool BandTiles<Word>::fits() const {
  return bands_.image_words() <= kMostWords && frame_.rows * added_steps_ <= kMostWords;
}

template <class Word>
void BandTiles<Word>::add_step(int channel, int kernel_h, int kernel_w) {
  const std::int64_t position = bands_.planes().offset(kernel_h, kernel_w);
  const auto input = [&](int c) { return c * bands_.channel_pitch() + position; };
  places_.push_back(steps());
  add_input(input(channel));
  const bool last = static_cast<std::int64_t>(places_.size()) == added_steps_;
  if (bands_.packed() && last) {
    while (steps() % shape_.step_group != 0) add_input(input(channel));
  } else if (!bands_.packed() && channel + 1 == channels_) {
    for (int c = channels_; c < frame_.channels; ++c) add_input(input(c));
  }
}

template <class Word>
void BandTiles<Word>::add_input(std::int64_t input) {
  const std::int64_t packed = std::int64_t{steps()} * shape_.width;
  inputs_.push_back(static_cast<std::int32_t>(input));
  offsets_.push_back(static_cast<std::int32_t>(bands_.packed() ? packed : input));
}

template <class Word>
int BandTiles<Word>::rows_of(int block) const {
  return std::min(shape_.rows, frame_.rows - block * shape_.rows);
}

// With the rows of zeros that fill up a tile of groups.
template <class Word>
int BandTiles<Word>::filled_rows(int block) const {
  return shape_.step_group == 1 ? rows_of(block) : round_up(rows_of(block), shape_.lanes);
}

// Of the weights of a block, in words.
template <class Word>
std::int64_t BandTiles<Word>::block_begin(int block) const {
  return std::int64_t{block} * shape_.rows * static_cast<std::int64_t>(inputs_.size());
}

template <class Word>
void BandTiles<Word>::pack_weights(const PackRow& pack) {
  const auto count = static_cast<std::size_t>(block_begin(blocks_ - 1)) +
                     static_cast<std::size_t>(filled_rows(blocks_ - 1)) * inputs_.size();
  weights_ = Words<Word>(count);
  std::vector<Piece> pieces;
  if (shape_.step_group > 1) {
    pieces = pieces_of_rows();
    std::fill_n(weights_.data(), count, Word{});
  }
  for_each_task(blocks_, layout_work(static_cast<std::int64_t>(count)), [&](std::int64_t i) {
    const int block = static_cast<int>(i);
    const std::int64_t rows = filled_rows(block);
    Word* scratch = thread_scratch<3, Word>(places_.size() * shape_.rows);
    const Word* from[kMaxTileRows];
    for (int r = 0; r < rows_of(block); ++r, scratch += places_.size())
      from[r] = pack(block * shape_.rows + r, scratch);
    if (shape_.step_group == 1) {  // of a step all rows side by side
      Word* to = weights_.data() + block_begin(block);
      for (std::size_t k = 0; k < places_.size(); ++k) {
        for (int r = 0; r < rows_of(block); ++r) *to++ = from[r][k];
      }
      return;
    }
    for (int r = 0; r < rows_of(block); ++r) {
      Word* to = weights_.data() + block_begin(block) + std::ptrdiff_t{r} * shape_.step_group;
      for (const Piece& piece : pieces) {
        std::copy_n(from[r] + piece.first, piece.count, to + piece.group * rows + piece.inside);
      }
    }
  });
}

// Steps that lie in one group are copied together.
template <class Word>
std::vector<typename BandTiles<Word>::Piece> BandTiles<Word>::pieces_of_rows() const {
  const int group = shape_.step_group;
  std::vector<Piece> pieces;
  for (int k = 0; k < static_cast<int>(places_.size()); ++k) {
    const int place = places_[static_cast<std::size_t>(k)];
    if (!pieces.empty() && place % group != 0) {
      ++pieces.back().count;
    } else {
      pieces.push_back({k, 1, std::int64_t{place} / group * group, place % group});
    }
  }
  return pieces;
}

template <class Word>
std::vector<Word> BandTiles<Word>::spread(std::span<const Word> of_steps) const {
  std::vector<Word> all(inputs_.size());
  for (std::size_t k = 0; k < of_steps.size(); ++k) {
    all[static_cast<std::size_t>(places_[k])] = of_steps[k];
  }
  return all;
}

template <class Word>
void BandTiles<Word>::run(const ReadInput<Word>& read, const Word* padding, const RunTile& run_tile,
                          const TileScope& scope) const {
  const Source source{read, padding};
  const std::vector<Band>& bands = bands_.bands();
  // Splitting the rows repeats the layout work: only to occupy idle threads.
  const auto count = static_cast<int>(bands.size());
  const int groups = std::clamp(threads_ / count, 1, blocks_);
  for_each_task(std::int64_t{count} * groups, multiply_adds_, [&](std::int64_t i) {
    const int group = static_cast<int>(i % groups);
    const InTileScope in_scope(scope);
    run_band(bands[static_cast<std::size_t>(i / groups)], source, blocks_ * group / groups,
             blocks_ * (group + 1) / groups, run_tile);
  });
}

// Short sums leave a tile's outputs as the bulk of the traffic; a few tiles per block of rows turn
// them into longer writes. Packed inputs are one tile's, and where steps are multiplied in groups
// a tile's inputs are to stay in the first-level cache.
template <class Word>
std::size_t BandTiles<Word>::tiles_per_group() const {
  if (bands_.packed() || shape_.step_group > 1) return 1;
  const auto tile_words = static_cast<std::int64_t>(inputs_.size()) * shape_.width;
  return static_cast<std::size_t>(
      std::clamp<std::int64_t>(kGroupWords / tile_words, 1, kMostTilesInTurn));
}

template <class Word>
void BandTiles<Word>::run_band(const Band& band, const Source& source, int first_block,
                               int end_block, const RunTile& run_tile) const {
  const Word* planes = lay_out(band, source);
  Word* panel = nullptr;
  if (bands_.packed()) {
    panel = thread_scratch<1, Word>(inputs_.size() * shape_.width + kCopyWords);
  }
  std::vector<Positions> group(tiles_per_group());
  const std::int64_t positions = bands_.positions(band);
  // As few tiles as there can be, of as many vectors each as the others: a narrow one waits for its
  // weights.
  const std::int64_t vectors = divide_up(positions, shape_.lanes);
  const std::int64_t all = divide_up(positions, shape_.width);
  const auto begin = [&](std::int64_t tile) {
    return std::min(positions, vectors * tile / all * shape_.lanes);
  };
  for (std::int64_t next = 0; next < all;) {
    std::size_t tiles = 0;
    for (; tiles < group.size() && next < all; ++tiles, ++next) {
      Positions& tile = group[tiles];
      tile.first = begin(next);
      tile.count = static_cast<int>(begin(next + 1) - tile.first);
      bands_.list_runs(band, tile.first, tile.count, tile.runs);
    }
    if (bands_.packed()) pack_inputs(planes, group[0], panel);
    for (int block = first_block; block < end_block; ++block) {
      for (std::size_t i = 0; i < tiles; ++i) {
        run_tile({block * shape_.rows, rows_of(block), group[i].count,
                  bands_.packed() ? panel : planes + group[i].first, offsets_.data(),
                  weights_.data() + block_begin(block), group[i].runs, static_cast<int>(i),
                  block == first_block});
      }
    }
  }
}

// Channels that fill up a group are left as they are: their weights are zero.
template <class Word>
const Word* BandTiles<Word>::lay_out(const Band& band, const Source& source) const {
  const std::int64_t all = bands_.image_words() * band.images;
  // Tiles and copies read whole vectors: the slack behind the planes is zero, not arbitrary.
  const std::int64_t slack = std::max(shape_.width + kCopyWords, kPaddedRowsSlack);
  Word* planes = thread_scratch<0, Word>(static_cast<std::size_t>(all + slack));
  for (int image = 0; image < band.images; ++image) {
    for (int c = 0; c < channels_; ++c) {
      Word* to = planes + image * bands_.image_words() + c * bands_.channel_pitch();
      lay_out_channel(band, image, c, source, to);
      std::fill_n(to + bands_.planes().channel_size(),
                  bands_.channel_pitch() - bands_.planes().channel_size(), Word{});
    }
  }
  std::fill_n(planes + all, slack, Word{});
  return planes;
}

template <class Word>
void BandTiles<Word>::lay_out_channel(const Band& band, int image, int channel,
                                      const Source& source, Word* to) const {
  const PhasePlanes& planes = bands_.planes();
  const Word padding = source.padding == nullptr ? Word{} : source.padding[channel];
  const int n = band.first_image + image;
  if (!source.read) {
    planes.fill(frame_.input, n, channel, band.first_row, padding, to);
    return;
  }
  const auto [begin, end] = planes.input_rows(band.first_row);
  const InputPart part{n, channel, begin, end, 0, frame_.w};
  const std::int64_t words = std::int64_t{end - begin} * frame_.w;
  if (planes.is_input()) {
    source.read(part, to);
    std::fill(to + words, to + planes.channel_size(), padding);
    return;
  }
  Word* rows = thread_scratch<2, Word>(static_cast<std::size_t>(words));
  source.read(part, rows);
  const LocalView view{.memory = reinterpret_cast<std::byte*>(rows),
                       .npus = 1,
                       .offset = -std::int64_t{begin} * frame_.w * std::int64_t{sizeof(Word)},
                       .h = frame_.w,
                       .w = 1,
                       .element_bytes = sizeof(Word)};
  planes.fill(view, 0, 0, band.first_row, padding, to);
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
