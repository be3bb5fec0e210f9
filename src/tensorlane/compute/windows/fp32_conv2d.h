// okk_bdc_conv2d: convolution of fp32 tensors with weights in 2IC storage.
//
//   input   [n, input_c, input_h, input_w]       any strides
//   weight  [ceil(input_c/2), output_c, kernel_h, kernel_w] pairs of input channels (element_bytes
//           8, strides in pairs); the second half of the last pair of an odd input_c is never read
//   bias    [1, output_c, 1, 1], read only with using_bias
//   output  [n, output_c, output_h, output_w]
//
// Accumulation, found bit for bit on the vendor's model: kernel positions outermost, pairs of input
// channels inside, one step per pair; channel 2j+l of step t adds to chain[t mod 2][l]. Every
// product and every sum is rounded on its own, denormals are flushed, all chains start at +0:
//
//   out = (chain[0][0] + chain[1][0]) + (chain[0][1] + chain[1][1])  [+ bias]  [+ old output]
//
// Padding is a factor of +0 that takes part: an infinite weight on padding gives NaN. The payload
// and sign of a NaN are not defined, as on the vendor's side.
#ifndef TENSORLANE_COMPUTE_WINDOWS_FP32_CONV2D_H_
#define TENSORLANE_COMPUTE_WINDOWS_FP32_CONV2D_H_

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/window2d.h"

namespace tensorlane {

struct Conv2dArgs {
  LocalView input;
  LocalView weight;
  LocalView bias;
  LocalView output;
  int n = 1;
  int input_c = 1;
  int input_h = 1;
  int input_w = 1;
  int output_c = 1;
  Window2d window;
  bool using_bias = false;
  bool result_add = false;
};

// Plain loops that define the result.
void conv2d_reference(const Conv2dArgs& args);

// The same bits, fast. False when the case is outside what it handles (nothing is written then).
bool conv2d_simd(const Conv2dArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_WINDOWS_FP32_CONV2D_H_
