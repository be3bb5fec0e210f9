// okk_bdc_avg_pool2d and okk_bdc_max_pool2d.
//
//   input   [n, c, input_h, input_w]
//   output  [n, c, output_h, output_w]
//
// The window has no dilation. Rules, found bit for bit on the vendor's model:
//
//   avg  a depthwise convolution whose weights are all 1.0f / (kernel_h*kernel_w): elements are
//        scaled before they are summed, in two chains by parity of the position; padding counts as
//        0 and in the divisor. A 1x1 kernel gives the product with 1.0f.
//   max  m = -FLT_MAX; m = v > m ? v : m over the window, padding being -FLT_MAX. NaN never wins; a
//        window of only NaN, -inf and padding gives -FLT_MAX. A denormal result is flushed.
#ifndef TENSORLANE_COMPUTE_WINDOWS_FP32_POOL2D_H_
#define TENSORLANE_COMPUTE_WINDOWS_FP32_POOL2D_H_

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/window2d.h"

namespace tensorlane {

struct Pool2dArgs {
  LocalView input;
  LocalView output;
  int n = 1;
  int c = 1;
  int input_h = 1;
  int input_w = 1;
  Window2d window;  // dilations are 1
};

// Plain loops that define the result.
void avg_pool2d_reference(const Pool2dArgs& args);
void max_pool2d_reference(const Pool2dArgs& args);

// The same bits, fast. False when the case is outside what they handle (nothing is written then).
bool avg_pool2d_simd(const Pool2dArgs& args);
bool max_pool2d_simd(const Pool2dArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_WINDOWS_FP32_POOL2D_H_
