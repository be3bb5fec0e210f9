// The inner loops of depthwise convolution and pooling on the BM1684X: one channel, all positions
// of a band (WindowTile of window_tile.h), over floats or integers.
#ifndef TENSORLANE_PRODUCTS_ANY_TYPE_WINDOW_TILE_H_
#define TENSORLANE_PRODUCTS_ANY_TYPE_WINDOW_TILE_H_

#include "tensorlane/tensor/dtype.h"
#include "tensorlane/tiles/window_tile.h"

namespace tensorlane {

// Every product and sum rounded to `type` (fp32, fp16 or bf16); chain[1] starts with `bias`. In the
// chips' float environment, as are all of these.
void sum_rounded_windows(const WindowTile<float>& tile, const float* weights, float bias,
                         Dtype type);
// The same in two steps, where all weights are one number: words[q] * weight rounded, then their
// sums.
void scale_rounded(float* words, std::int64_t count, float weight, Dtype type);
void sum_rounded_products(const WindowTile<float>& tile, float bias, Dtype type);

// r = r > t ? r : t from the first position on.
void max_float_windows(const WindowTile<float>& tile);

// Integers of 16 bits with sign, each with its neighbour: word q becomes words[q] in the low bits
// and words[q + 1] in the high ones.
void pair_neighbours(std::int32_t* words, std::int64_t count);
// Sums over such pairs, each of which has a pair of weights.
void sum_pair_windows(const WindowTile<std::int32_t>& tile, const std::int32_t* weights);

// The same for integers: sums wrap.
void sum_integer_windows(const WindowTile<std::int32_t>& tile, const std::int32_t* weights);
void max_integer_windows(const WindowTile<std::int32_t>& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_PRODUCTS_ANY_TYPE_WINDOW_TILE_H_
