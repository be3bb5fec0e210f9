// okk_bdc_depthwise2d: every channel convolved with a kernel of its own.
//
//   input   [n, c, input_h, input_w]
//   weight  [1, c, kernel_h, kernel_w]
//   bias    [1, c, 1, 1], read only with using_bias
//   output  [n, c, output_h, output_w]
//
// Accumulation, found bit for bit on the vendor's model: kernel position t = kh*kernel_w + kw adds
// its rounded product to chain[t mod 2]; out = chain[0] + chain[1] [+ bias]. Padding is a factor of
// +0 that takes part. With a 1x1 kernel out is the product itself, so a product of -0 stays -0.
#ifndef TENSORLANE_COMPUTE_WINDOWS_FP32_DEPTHWISE2D_H_
#define TENSORLANE_COMPUTE_WINDOWS_FP32_DEPTHWISE2D_H_

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/window2d.h"

namespace tensorlane {

struct Depthwise2dArgs {
  LocalView input;
  LocalView weight;
  LocalView bias;
  LocalView output;
  int n = 1;
  int c = 1;
  int input_h = 1;
  int input_w = 1;
  Window2d window;
  bool using_bias = false;
};

// Plain loops that define the result.
void depthwise2d_reference(const Depthwise2dArgs& args);

// The same bits, fast. False when the case is outside what it handles (nothing is written then).
bool depthwise2d_simd(const Depthwise2dArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_WINDOWS_FP32_DEPTHWISE2D_H_
