// Sums over the rows of a channel of 16-bit floats as they are stored, without widened copies.
#ifndef TENSORLANE_COMPUTE_TILES_STORED_ROWS_TILE_H_
#define TENSORLANE_COMPUTE_TILES_STORED_ROWS_TILE_H_

#include <cstddef>
#include <cstdint>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// sums[w] = elements w, w + columns, ... of `count` ones, added in the two chains of
// sum_rounded_products (any_type_window_tile.h) from kNoStart on, each sum rounded to `type`. What
// the last row lacks is zero. In the chips' float environment. False for other types than fp16 and
// bf16, and for rows that are no whole vectors.
bool sum_stored_rows(Dtype type, const std::byte* from, std::int64_t count, int columns,
                     float* sums);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_STORED_ROWS_TILE_H_
