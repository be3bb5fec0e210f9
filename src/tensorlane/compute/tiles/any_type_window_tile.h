// The inner loops of depthwise convolution and pooling: one channel, all positions of a band
// (WindowTile of window_tile.h), over floats or integers.
#ifndef TENSORLANE_COMPUTE_TILES_ANY_TYPE_WINDOW_TILE_H_
#define TENSORLANE_COMPUTE_TILES_ANY_TYPE_WINDOW_TILE_H_

#include "tensorlane/compute/tiles/window_tile.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// What the two chains of a sum start with. Nothing at all is -0, which leaves a sum of negative
// zeros one.
struct ChainStarts {
  float first = 0.0F;
  float second = 0.0F;
  const float* last = nullptr;  // added to the sum of both, where there is one
};
inline constexpr ChainStarts kNoStart = {-0.0F, -0.0F};

// Every product and sum rounded to `type` (fp32, fp16 or bf16). In the chips' float environment, as
// are all of these.
void sum_rounded_windows(const WindowTile<float>& tile, const float* weights,
                         const ChainStarts& starts, Dtype type);
// The same in two steps, where all weights are one number: words[q] * weight rounded, then their
// sums.
void scale_rounded(float* words, std::int64_t count, float weight, Dtype type);
void sum_rounded_products(const WindowTile<float>& tile, const ChainStarts& starts, Dtype type);

// r = r > t ? r : t for every position, from the least finite number of `type` on, or (of fp32)
// r = t > r ? t : r, where a NaN never wins; denormal fp32 becomes zero, bits of the others stay.
void max_float_windows(const WindowTile<float>& tile, Dtype type, bool nan_loses = false);

// Integers of 16 bits with sign, each with its neighbour: word q becomes words[q] in the low bits
// and words[q + 1] in the high ones.
void pair_neighbours(std::int32_t* words, std::int64_t count);
// Sums over such pairs, each of which has a pair of weights.
void sum_pair_windows(const WindowTile<std::int32_t>& tile, const std::int32_t* weights);

// The same for integers: sums wrap.
void sum_integer_windows(const WindowTile<std::int32_t>& tile, const std::int32_t* weights);
void max_integer_windows(const WindowTile<std::int32_t>& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_ANY_TYPE_WINDOW_TILE_H_
