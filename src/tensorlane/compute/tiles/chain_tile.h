// The inner loop of convolution and matrix product: one tile of outputs, `rows` output channels (or
// matrix rows) by up to `width` positions (pixels, matrix columns), kept in registers.
//
// The chips add an output's products in two or four separate chains and join these at the end. A
// chain is an ordered list of steps; step k multiplies the weight of each row by the inputs at one
// offset and adds the products. Chains do not depend on each other, so the tile runs them one after
// the other with every register as an accumulator.
#ifndef TENSORLANE_COMPUTE_TILES_CHAIN_TILE_H_
#define TENSORLANE_COMPUTE_TILES_CHAIN_TILE_H_

#include <cstdint>

#include "tensorlane/compute/tiles/tile_shape.h"

namespace tensorlane {

struct Chain {
  const float* weights = nullptr;         // [length][rows]
  const std::int32_t* offsets = nullptr;  // [length], in floats from the tile's inputs
  int length = 0;                         // 0: the chain stays +0
};

struct ChainTile {
  int rows = 0;                   // 1 .. shape.rows
  int positions = 0;              // 1 .. shape.width
  const float* inputs = nullptr;  // position 0; positions follow each other
  int chain_count = 0;            // 2 or 4
  Chain chains[4] = {};
  // What chains 0 and 1 start with, [rows][shape.width]; null: +0.
  const float* starts[2] = {};
  float* sums = nullptr;  // [rows][shape.width]
};

// The tile the vectors of this processor work best with.
TileShape chain_tile_shape();

// sums = (chain0 + chain1) [+ (chain2 + chain3)], in the calling thread's float
// environment. Inputs and sums are touched up to the next whole vector behind `positions`.
void run_chain_tile(const ChainTile& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_CHAIN_TILE_H_
