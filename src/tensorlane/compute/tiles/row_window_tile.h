// Depthwise sums of fp32 over windows of 3 by 3, taken of input rows where they lie and stored
// where results belong: two rows of results at a time, which share what they read.
#ifndef TENSORLANE_COMPUTE_TILES_ROW_WINDOW_TILE_H_
#define TENSORLANE_COMPUTE_TILES_ROW_WINDOW_TILE_H_

#include <cstdint>

#include "tensorlane/compute/tiles/any_type_window_tile.h"

namespace tensorlane {

constexpr int kRowKernel = 3;
// Rows of results are at least as long: they begin and end with a vector of their own.
constexpr int kLeastRowWindows = 32;

// Rows [first_row, end_row) of a channel's results. Strides and dilations are 1; outside the input
// are zeros.
struct RowWindowTile {
  const float* input = nullptr;  // row 0
  std::int64_t input_pitch = 0;  // from a row to the next
  int input_h = 0, input_w = 0;
  int pad_top = 0, pad_left = 0;
  const float* outside = nullptr;  // input_w zeros
  float* output = nullptr;         // row 0
  std::int64_t output_pitch = 0;
  int first_row = 0, end_row = 0;
  int output_w = 0;
  const float* weights = nullptr;  // 9
  ChainStarts starts;
};

// Sums as sum_rounded_windows of any_type_window_tile.h makes them.
void sum_window_rows(const RowWindowTile& tile);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_ROW_WINDOW_TILE_H_
