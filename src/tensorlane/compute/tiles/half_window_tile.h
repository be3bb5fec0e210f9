// The inner loops of any_type_window_tile.h for fp16 on processors that compute in it
// (AVX512-FP16): a sum or product of fp16 numbers, rounded once, is the one that fp32 gives when it
// is rounded to fp16. Inputs, weights and outputs are bits of fp16.
#ifndef TENSORLANE_COMPUTE_TILES_HALF_WINDOW_TILE_H_
#define TENSORLANE_COMPUTE_TILES_HALF_WINDOW_TILE_H_

#include <cstdint>

#include "tensorlane/compute/tiles/window_tile.h"

namespace tensorlane {

// Nor does it where the vector targets are limited to those without integer quads.
bool has_half_arithmetic();

// Call these only where it has. The chains start with `first` and `second`; NaN becomes 0x7fff.
void sum_half_windows(const WindowTile<std::uint16_t>& tile, const std::uint16_t* weights,
                      std::uint16_t first, std::uint16_t second);
void max_half_windows(const WindowTile<std::uint16_t>& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_HALF_WINDOW_TILE_H_
