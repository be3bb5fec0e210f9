// What convolutions and dense products of every type run in: tiles of rows (output channels, matrix
// rows) by positions over phase planes.
//
// A task is one band and a group of rows. It lays the input of its band out as phase planes, where
// each step of a sum is one contiguous read, and runs tiles over them. Weights are repacked once
// for all tasks. What a tile computes and where its sums go is up to the caller.
//
// Where a tile multiplies several steps at once (TileShape::step_group), the steps of a group are
// neighbouring channels at one kernel position, and channels are filled up to whole groups with
// zero weights. With few channels that would be mostly filling: the inputs of a tile are packed
// then, and groups take the steps as they come.
//
// Word is float, or std::int32_t for integers that share words (compute/products/integer_words.h).
#ifndef TENSORLANE_COMPUTE_BANDS_BAND_TILES_H_
#define TENSORLANE_COMPUTE_BANDS_BAND_TILES_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tensorlane/compute/bands/kept_words.h"
#include "tensorlane/compute/bands/output_bands.h"

namespace tensorlane {

// Most tiles that take turns with the blocks of rows.
inline constexpr int kMostTilesInTurn = 8;

template <class Word>
struct BandTile {
  int first_row = 0;
  int rows = 0;
  int positions = 0;
  const Word* inputs = nullptr;           // position 0
  const std::int32_t* offsets = nullptr;  // [step], in words from `inputs`
  const Word* weights = nullptr;          // [step][rows], or in groups (tile_shape.h)
  std::span<const Run> runs;              // the outputs among the positions
  int turn = 0;                           // of these positions, below kMostTilesInTurn
  bool first_block = true;                // of the rows that this thread runs at these positions
};

template <class Word>
class BandTiles {
 public:
  // Each output is a sum of `steps` products.
  BandTiles(const ProductFrame& frame, const TileShape& shape, std::int64_t steps);

  // Whether planes and weights are of a sensible size.
  bool fits() const;
  // The next step, in the order in which tiles take them: it reads `channel` at a kernel position.
  // All channels of one kernel position follow each other where steps are multiplied in groups.
  void add_step(int channel, int kernel_h, int kernel_w);
  // Steps of a tile: those that were added, and filling.
  int steps() const { return static_cast<int>(offsets_.size()); }
  // pack(row, scratch) gives the weights of all steps that were added, in their order: where they
  // are, or in `scratch`. Called from several threads, after the last step was added.
  using PackRow = std::function<const Word*(int row, Word* scratch)>;
  void pack_weights(const PackRow& pack);
  // Where steps are not in groups: [block of rows][step][row].
  const Word* packed_weights() const { return weights_.data(); }
  // The same numbers for every row, one to a step, as the tile's steps lie.
  std::vector<Word> spread(std::span<const Word> of_steps) const;
  // Calls run_tile from several threads until each output was in one tile. The input is read where
  // the frame says, or by `read` if that is given. `padding` is a number per channel; null: zero.
  using RunTile = std::function<void(const BandTile<Word>&)>;
  void run(const ReadInput<Word>& read, const Word* padding, const RunTile& run_tile,
           const TileScope& scope = {}) const;

 private:
  // Consecutive positions of a band that share the weights of a block while these are at hand.
  struct Positions {
    std::int64_t first = 0;
    int count = 0;
    std::vector<Run> runs;
  };

  // Steps [first, first + count) of a row of weights lie side by side from step `inside` of a
  // group.
  struct Piece {
    int first = 0;
    int count = 0;
    std::int64_t group = 0;  // its first step
    int inside = 0;
  };
  struct Source {
    const ReadInput<Word>& read;
    const Word* padding;
  };

  int rows_of(int block) const;
  int filled_rows(int block) const;
  std::int64_t block_begin(int block) const;
  std::size_t tiles_per_group() const;
  void add_input(std::int64_t input);
  std::vector<Piece> pieces_of_rows() const;
  void run_band(const Band& band, const Source& source, int first_block, int end_block,
                const RunTile& run_tile) const;
  const Word* lay_out(const Band& band, const Source& source) const;
  void lay_out_channel(const Band& band, int image, int channel, const Source& source,
                       Word* to) const;
  void pack_inputs(const Word* planes, const Positions& tile, Word* panel) const;

  const TileShape shape_;
  const int channels_;        // of the input
  const ProductFrame frame_;  // with those that fill up a group
  const std::int64_t multiply_adds_;
  const std::int64_t added_steps_;
  const int threads_;
  const OutputBands bands_;
  const int blocks_;                   // of rows
  std::vector<std::int32_t> inputs_;   // of each step, from the planes of an image
  std::vector<std::int32_t> offsets_;  // of each step's inputs, from the tile's
  std::vector<int> places_;            // of the steps that were added, among all
  Words<Word> weights_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_BAND_TILES_H_
