// A polynomial of each element of a frame, in vectors.
//
//   dst = the sum of coefficients[i] * src ^ i
//
// from the highest power on, every product and every sum rounded to the type, which is how the chip
// computes its series (tpu_bdc_fp_taylor). The bits are those of the same steps one by one, NaN
// included.
#ifndef TENSORLANE_COMPUTE_ROWS_POLYNOMIAL_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_POLYNOMIAL_ROWS_H_

#include <span>

#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// Rows are dense, of fp32, fp16 or bf16; there is one coefficient at least.
void polynomial_rows(Dtype dtype, std::span<const float> coefficients, const Row& frame);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_POLYNOMIAL_ROWS_H_
