// The inner loop of integer products: one tile of `rows` output channels (or matrix rows) by up to
// `width` positions. Factors are several to a 32-bit word; a step multiplies those of a word of the
// weights with those of a word of the inputs. Sums wrap at 32 bits.
#ifndef TENSORLANE_PRODUCTS_INTEGER_TILE_H_
#define TENSORLANE_PRODUCTS_INTEGER_TILE_H_

#include <cstdint>

#include "tensorlane/tiles/tile_shape.h"

namespace tensorlane {

enum class IntegerFactors : std::uint8_t {
  kPairs,            // two of 16 bits with sign
  kUnsignedInputs,   // four of 8 bits: inputs without sign, weights with
  kUnsignedWeights,  // the reverse
};

struct IntegerTile {
  IntegerFactors factors = IntegerFactors::kPairs;
  int rows = 0;                           // 1 .. shape.rows
  int positions = 0;                      // 1 .. shape.width
  const std::int32_t* inputs = nullptr;   // position 0; positions follow each other
  const std::int32_t* weights = nullptr;  // [step][rows], or in groups (tile_shape.h)
  const std::int32_t* offsets = nullptr;  // [step], in words from `inputs`
  int length = 0;                         // steps
  const std::int32_t* starts = nullptr;   // [rows], what sums start with; null: zero
  // What the sum of all inputs of a position is multiplied by before it is added, as a zero point
  // of the weights asks for: [rows]; null: zero.
  const std::int32_t* input_factors = nullptr;
  const std::int32_t* ones = nullptr;  // [step], weights of 1, for `input_factors`
  bool adds = false;                   // to the sums that are there; without starts then
  std::int32_t* sums = nullptr;        // [rows][shape.width]
};

// Tiles in vectors.
TileShape integer_tile_shape();

// Whether this processor multiplies four factors to the word; tiles of them need it.
bool has_integer_quads();

// Inputs and sums are touched up to the next whole vector behind `positions`.
void run_integer_tile(const IntegerTile& tile);

// What sums get beside the products of a tile, for tiles of other kinds, `width` sums to a row:
// starts, and sums of inputs by their factors.
void add_row_terms(const IntegerTile& tile, int width);

}  // namespace tensorlane

#endif  // TENSORLANE_PRODUCTS_INTEGER_TILE_H_
