// The inner loop of integer products: one tile of `rows` output channels (or matrix rows) by up to
// `width` positions. Factors are 16-bit integers in pairs, two per 32-bit word; a step multiplies
// one pair of the weights with one of the inputs. Sums wrap at 32 bits.
#ifndef TENSORLANE_KERNELS_INTEGER_TILE_H_
#define TENSORLANE_KERNELS_INTEGER_TILE_H_

#include <cstdint>

#include "tensorlane/kernels/chain_tile.h"

namespace tensorlane {

// Words travel as floats, like the operands of the other tiles; their bits are never interpreted
// as such.
struct IntegerTile {
  int rows = 0;                           // 1 .. shape.rows
  int positions = 0;                      // 1 .. shape.width
  const float* inputs = nullptr;          // position 0; positions follow each other
  const float* weights = nullptr;         // [step][rows]
  const std::int32_t* offsets = nullptr;  // [step], in words from `inputs`
  int length = 0;                         // steps
  float* sums = nullptr;                  // [rows][shape.width], std::int32_t
};

ChainTileShape integer_tile_shape();

// Inputs and sums are touched up to the next whole vector behind `positions`.
void run_integer_tile(const IntegerTile& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_KERNELS_INTEGER_TILE_H_
