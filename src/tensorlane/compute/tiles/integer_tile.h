// The inner loop of integer products: one tile of `rows` output channels (or matrix rows) by up to
// `width` positions. Factors are several to a 32-bit word; a step multiplies those of a word of the
// weights with those of a word of the inputs. Sums wrap at 32 bits.
#ifndef TENSORLANE_COMPUTE_TILES_INTEGER_TILE_H_
#define TENSORLANE_COMPUTE_TILES_INTEGER_TILE_H_

#include <cstddef>
#include <cstdint>

#include "tensorlane/compute/tiles/tile_shape.h"

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
  bool adds = false;                      // to the sums that are there
  std::int32_t* sums = nullptr;           // [rows][stride]
  int stride = 0;                         // at least shape.width
};

// As many rows as a tile has at most, whose sums are results: they go where they belong, and begin
// with starts[row] + row_factors[row] * column_factors[column].
struct IntegerRows {
  IntegerFactors factors = IntegerFactors::kPairs;
  int columns = 0;  // a multiple of shape.lanes
  const std::int32_t* inputs = nullptr;
  int pitch = 0;                                 // words from the inputs of a step to the next
  const std::int32_t* weights = nullptr;         // [step][shape.rows]
  int length = 0;                                // steps
  const std::int32_t* starts = nullptr;          // [row]; null: zeros
  const std::int32_t* row_factors = nullptr;     // [row]; null: zeros
  const std::int32_t* column_factors = nullptr;  // [column], where there are row factors
  std::byte* const* to = nullptr;                // [row]
};
void run_integer_rows(const IntegerRows& rows);

// Tiles in vectors.
TileShape integer_tile_shape();

// Whether this processor multiplies four factors to the word; tiles of them need it.
bool has_integer_quads();

// Inputs and sums are touched up to the next whole vector behind `positions`.
void run_integer_tile(const IntegerTile& tile);

// The sums of a tile of one row, in any number of positions: with weights of 1 the sum of the
// inputs of each position. Many products at once, where a tile of few rows waits for each.
void run_integer_row(const IntegerTile& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_INTEGER_TILE_H_
