// Sums, differences and products of integers, saturated, in lanes as wide as the elements: the
// nearest number that such an element holds. Shifted to the left or not at all.
#ifndef TENSORLANE_COMPUTE_ROWS_SATURATED_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_SATURATED_ROWS_H_

#include <span>

#include "tensorlane/compute/rows/integer_steps.h"

namespace tensorlane {

// The row function for two sources of one type, which is the result's, or the unsigned one of a
// difference's. Null for others.
SimdRow saturated_row(IntegerOperation operation, std::span<const Dtype> sources, Dtype dst);

// The same, shifted to the left by a byte that source 2 holds for each row: fewer places than an
// element has bits.
SimdRow raised_row(IntegerOperation operation, std::span<const Dtype> sources, Dtype dst);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_SATURATED_ROWS_H_
