// The inner loop of block_tile.h for numbers of few bits that lie close together, as those of 8
// bits often do: where no product of a block is cut and no sum of some of them rounds, fused
// multiply-adds give the rule's bits.
#ifndef TENSORLANE_COMPUTE_TILES_EXACT_TILE_H_
#define TENSORLANE_COMPUTE_TILES_EXACT_TILE_H_

#include <cstdint>

#include "tensorlane/compute/tiles/block_tile.h"

namespace tensorlane {

// What is known of some numbers: all are multiples of 2^lowest, and less than 2^largest. Zeros say
// nothing; infinities and NaN are too large for anything.
struct NumberRange {
  int lowest = 0, largest = 0;
};

// `positions` numbers of each of some steps, which begin `offsets` behind `numbers`.
NumberRange range_of(const float* numbers, const std::int32_t* offsets, int steps, int positions);
// So many numbers.
NumberRange range_of(const float* numbers, std::int64_t count);

// Whether sums of blocks of products of such numbers are exact in fp32.
bool exact_tile_serves(const NumberRange& inputs, const NumberRange& weights);
// Whether that may be, whatever the inputs.
bool exact_tile_may_serve(const NumberRange& weights);

// As run_block_tile, for numbers that it serves. `specials` does not count.
void run_exact_tile(const BlockTile& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_EXACT_TILE_H_
