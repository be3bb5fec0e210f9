// Sums of windows of bytes, four positions of a kernel row to an instruction, straight from planes
// of bytes: on processors with AVX-512 VNNI and VBMI. The factors are those of IntegerWords.
#ifndef TENSORLANE_COMPUTE_TILES_BYTE_WINDOW_TILE_H_
#define TENSORLANE_COMPUTE_TILES_BYTE_WINDOW_TILE_H_

#include <cstdint>

#include "tensorlane/compute/tiles/integer_tile.h"

namespace tensorlane {

// Positions of a kernel row are `dilation` apart, at most so many.
inline constexpr int kMostByteDilation = 5;
// Bytes behind the last input of a window that may be read.
inline constexpr int kByteWindowSlack = 64;

// out[q] = start + sum over t and k < 4 of inputs[offsets[t] + q + k * dilation] * byte k of
// weights[t]
struct ByteWindowTile {
  const std::uint8_t* inputs = nullptr;
  const std::int32_t* offsets = nullptr;
  const std::int32_t* weights = nullptr;
  int length = 0;  // fours of positions
  int dilation = 1;
  IntegerFactors factors = IntegerFactors::kUnsignedInputs;
  std::uint32_t flip = 0;  // bits of four inputs that are turned over
  std::int32_t start = 0;
  std::int64_t positions = 0;
  std::int32_t* out = nullptr;  // written up to kWindowSlack words behind the last position
};
// Call it only where there are integer quads (integer_tile.h).
void sum_byte_windows(const ByteWindowTile& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_BYTE_WINDOW_TILE_H_
