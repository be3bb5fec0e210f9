// Pooling of regions on the BM1684X: output i of a channel is one window of the input, from the
// corner of region i on; elements past the far corner of the region count as `except`. [observed]
//
//   input   [n, c, input_h, input_w]
//   output  [n, c, 1, regions]
//
// The rules of any_type_window.h: a maximum, or an average of floats whose weight is `scale`, or
// the low bits of a sum of integers times `factor`.
#ifndef TENSORLANE_COMPUTE_WINDOWS_REGION_WINDOWS_H_
#define TENSORLANE_COMPUTE_WINDOWS_REGION_WINDOWS_H_

#include <vector>

#include "tensorlane/compute/windows/any_type_window.h"

namespace tensorlane {

// Both corners belong to it.
struct PooledRegion {
  std::uint16_t w0, h0, w1, h1;
};

struct RegionWindowArgs {
  WindowRule rule = WindowRule::kMaximum;
  LocalView input;
  LocalView output;
  Dtype input_type = Dtype::kFp32;
  Dtype output_type = Dtype::kFp32;
  int n = 1;
  int c = 1;
  int input_h = 1;
  int input_w = 1;
  int kernel_h = 1;
  int kernel_w = 1;
  std::vector<PooledRegion> regions;
  std::uint32_t except_bits = 0;
  float scale = 1.0F;       // of floats
  std::int32_t factor = 1;  // of integers
};

// In vectors. False when the case is outside what it handles, among them a window that leaves the
// input (nothing is written then). In the chips' float environment.
bool region_windows_simd(const RegionWindowArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_WINDOWS_REGION_WINDOWS_H_
