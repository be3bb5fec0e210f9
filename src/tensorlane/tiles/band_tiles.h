// What convolutions and dense products of every type run in: tiles of rows (output channels, matrix
// rows) by positions over phase planes.
//
// A task is one band and a group of rows. It lays the input of its band out as phase planes, where
// each step of a sum is one contiguous read, and runs tiles over them. Weights are repacked once
// for all tasks. What a tile computes and where its sums go is up to the caller.
//
// Word is float, or std::int32_t for integers that share words (products/integer_words.h).
#ifndef TENSORLANE_TILES_BAND_TILES_H_
#define TENSORLANE_TILES_BAND_TILES_H_

#include <hwy/aligned_allocator.h>

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tensorlane/tiles/output_bands.h"

namespace tensorlane {

template <class Word>
struct BandTile {
  int first_row = 0;
  int rows = 0;
  int positions = 0;
  const Word* inputs = nullptr;           // position 0
  const std::int32_t* offsets = nullptr;  // [step], in words from `inputs`
  const Word* weights = nullptr;          // [step][rows]
  std::span<const Run> runs;              // the outputs among the positions
};

template <class Word>
class BandTiles {
 public:
  // Each output is a sum of `steps` products.
  BandTiles(const ProductFrame& frame, const TileShape& shape, std::int64_t steps);

  // Whether planes and weights are of a sensible size.
  bool fits() const;
  // The next step, in the order in which tiles take them: it reads `channel` at a kernel position.
  void add_step(int channel, int kernel_h, int kernel_w);
  // pack(row, to, stride) writes the weight of step k to to[k * stride]. Called from several
  // threads, after the last step was added.
  void pack_weights(const std::function<void(int row, Word* to, int stride)>& pack);
  // Calls run_tile from several threads until each output was in one tile. `padding` is a number
  // per channel; null: zero.
  using RunTile = std::function<void(const BandTile<Word>&)>;
  void run(const Word* padding, const RunTile& run_tile) const;

 private:
  // Consecutive positions of a band that share the weights of a block while these are at hand.
  struct Positions {
    std::int64_t first = 0;
    int count = 0;
    std::vector<Run> runs;
  };

  int rows_of(int block) const;
  Word* block_weights(int block) const;
  std::size_t tiles_per_group() const;
  void run_band(const Band& band, const Word* padding, int first_block, int end_block,
                const RunTile& run_tile) const;
  const Word* lay_out(const Band& band, const Word* padding) const;
  void pack_inputs(const Word* planes, const Positions& tile, Word* panel) const;

  const ProductFrame frame_;
  const TileShape shape_;
  const std::int64_t multiply_adds_;
  const std::int64_t weight_count_;
  const int threads_;
  const OutputBands bands_;
  const int blocks_;                   // of rows
  std::vector<std::int32_t> inputs_;   // of each step, from the planes of an image
  std::vector<std::int32_t> offsets_;  // of each step's inputs, from the tile's
  hwy::AlignedFreeUniquePtr<Word[]> weights_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_TILES_BAND_TILES_H_
