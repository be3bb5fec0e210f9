// For entries: calls whose results are the same whatever their sources hold.
//
// Kernels make zeros of memory that nobody wrote: x ^ x, x & 0, and x - x and x * 0 of integers. Of
// floats they do not: what is no number stays none.
#ifndef TENSORLANE_OPS_FIXED_RESULTS_H_
#define TENSORLANE_OPS_FIXED_RESULTS_H_

#include "tensorlane/ops/op.h"

namespace tensorlane {

// src0_addr and src1_addr are the same elements of one type.
bool of_one_tensor(const Command& command);
// C has no bits.
bool with_zero(const Command& command);

// The entry with that rule.
OpSpec fixed_if(FixedRule rule, OpSpec spec);

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_FIXED_RESULTS_H_
