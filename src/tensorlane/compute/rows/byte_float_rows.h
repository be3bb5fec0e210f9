// Sums, differences and products of 8-bit floats with a constant, in vectors: E5M2 is the upper
// half of fp16, and E4M3 becomes fp16 by a shift and a factor.
#ifndef TENSORLANE_COMPUTE_ROWS_BYTE_FLOAT_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_BYTE_FLOAT_ROWS_H_

#include <cstdint>

#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

enum class ByteFloatFormula : std::uint8_t { kAdd, kSubtractFrom, kMultiply };

// Of frames whose elements stand side by side along rows; the constant is no NaN.
using ByteFloatRow = void (*)(const Row& frame, float constant);

// The function for results of fp32, fp16 or bf16, computed in fp32 and rounded once; null for
// others.
ByteFloatRow byte_float_row(ByteFloatFormula formula, Dtype dst, Dtype src);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_BYTE_FLOAT_ROWS_H_
