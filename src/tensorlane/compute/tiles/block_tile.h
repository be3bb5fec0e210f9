// The inner loop of products of fp16 and bf16: one tile of `rows` output channels (or matrix rows)
// by up to `width` positions, block by block after the rule kBlockSums of product_rules.h.
#ifndef TENSORLANE_COMPUTE_TILES_BLOCK_TILE_H_
#define TENSORLANE_COMPUTE_TILES_BLOCK_TILE_H_

#include <cstdint>

#include "tensorlane/compute/tiles/tile_shape.h"

namespace tensorlane {

struct BlockTile {
  int rows = 0;                              // 1 .. shape.rows
  int positions = 0;                         // 1 .. shape.width
  const float* inputs = nullptr;             // position 0; positions follow each other
  const float* weights = nullptr;            // [step][rows]
  const std::int32_t* offsets = nullptr;     // [step], in floats from `inputs`
  const std::int32_t* block_ends = nullptr;  // of each block: the step behind its last
  int blocks = 0;
  bool specials = false;         // an operand may be infinite or NaN
  const float* start = nullptr;  // what the sums start with, [rows][shape.width]; null: +0
  float* sums = nullptr;         // [rows][shape.width]
};

TileShape block_tile_shape();

// In the calling thread's float environment, which must be the chips'. Inputs, start and sums are
// touched up to the next whole vector behind `positions`.
void run_block_tile(const BlockTile& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_BLOCK_TILE_H_
