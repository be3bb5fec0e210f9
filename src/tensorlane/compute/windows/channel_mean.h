// The mean of each channel on the BM1684X: two averages, of every column of rows as long as a step,
// then of these columns, with the two chains of any_type_window.h each. What the last row lacks
// counts as zero.
#ifndef TENSORLANE_COMPUTE_WINDOWS_CHANNEL_MEAN_H_
#define TENSORLANE_COMPUTE_WINDOWS_CHANNEL_MEAN_H_

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

struct ChannelMeanArgs {
  LocalView input;
  LocalView output;  // [n, c, 1, 1]
  Dtype type = Dtype::kFp32;
  int n = 1;
  int c = 1;
  int h = 1;
  int w = 1;
  int columns = 16;    // of a row
  float scale = 1.0F;  // a number of the type
};

// In vectors. False when the case is outside what it handles (nothing is written then).
bool channel_mean_simd(const ChannelMeanArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_WINDOWS_CHANNEL_MEAN_H_
