// okk_bdc_matmul: out = left x right [+ bias] [+ old output], fp32.
//
//   left    left_rows x left_cols,   left_cols_per_channel columns per channel
//   right   left_cols x right_cols,  right_cols_per_channel columns per channel
//   bias    1 x right_cols,          read only with using_bias
//   output  left_rows x right_cols,  right_cols_per_channel columns per channel
//
// Matrix layout: element (row, column) is element (row, column div cols_per_channel, 0, column mod
// cols_per_channel) of the view, whose strides the caller sets (stride n is the row pitch). Only
// existing columns are read and written.
//
// Accumulation, found bit for bit on the vendor's model: k adds its rounded product to
// chain[k mod 2]; out = chain[0] + chain[1] [+ bias] [+ old output]. With left_cols == 1 the sum is
// the product itself, so a product of -0 stays -0. cols_per_channel has no influence on the order.
#ifndef TENSORLANE_COMPUTE_MATRICES_FP32_MATMUL_H_
#define TENSORLANE_COMPUTE_MATRICES_FP32_MATMUL_H_

#include "tensorlane/compute/bands/local_view.h"

namespace tensorlane {

struct MatmulArgs {
  LocalView left;
  LocalView right;
  LocalView bias;
  LocalView output;
  int left_rows = 1;
  int left_cols = 1;
  int right_cols = 1;
  int left_cols_per_channel = 1;
  int right_cols_per_channel = 1;
  bool using_bias = false;
  bool result_add = false;
};

// Plain loops that define the result.
void matmul_reference(const MatmulArgs& args);

// The same bits, fast. False when the case is outside what it handles (nothing is written then).
bool matmul_simd(const MatmulArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MATRICES_FP32_MATMUL_H_
