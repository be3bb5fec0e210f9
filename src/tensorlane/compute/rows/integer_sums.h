// Sums and differences of integers of 16 and 32 bits in lanes as wide as they are, which hold
// neither the sum nor what rounding adds to it: half of a sum has room there, and the bits that are
// shifted out are those of the sum that wraps around. For frames of such elements side by side, or
// one for a row; wider lanes (integer_vectors.h) take all others.
#ifndef TENSORLANE_COMPUTE_ROWS_INTEGER_SUMS_H_
#define TENSORLANE_COMPUTE_ROWS_INTEGER_SUMS_H_

#include <optional>
#include <span>

#include "tensorlane/compute/rows/integer_steps.h"

namespace tensorlane {

struct IntegerSums {
  bool subtracts, source_signed, result_signed, saturates;
  std::int64_t bytes;  // of an element
  IntegerShift shift;
  // Instead of `shift`, that of each row by the byte that source 2 holds.
  const IntegerShift* by_byte = nullptr;
};

// Nothing for other rules, types and shifts. That of the rule counts for both; by_byte is to be
// set, of shifts that hold_sums.
std::optional<IntegerSums> integer_sums(const IntegerRule& rule, std::span<const Dtype> sources,
                                        Dtype dst);
bool hold_sums(const IntegerShift& shift, std::int64_t bytes);

// False where the elements of a frame stand otherwise; then nothing is written.
bool run_sums(const IntegerSums& sums, const Row& frame);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_SUMS_H_
