// Products of integers of 16 and 32 bits, shifted to the right with rounding and saturated: they
// have twice the bits, but what is left of them and what rounding adds is worked out of their upper
// and lower words, in lanes as wide as the elements. For frames of such elements side by side, or
// one for a row; wider lanes (integer_vectors.h) take all others.
#ifndef TENSORLANE_COMPUTE_ROWS_INTEGER_PRODUCTS_H_
#define TENSORLANE_COMPUTE_ROWS_INTEGER_PRODUCTS_H_

#include <optional>
#include <span>

#include "tensorlane/compute/rows/integer_steps.h"

namespace tensorlane {

struct IntegerProducts {
  bool is_signed, saturates;
  std::int64_t bytes;  // of an element
  IntegerShift shift;
  // Instead of `shift`, that of each row by the byte that source 2 holds; none goes to the left or
  // as far to the right as elements have bits.
  const IntegerShift* by_byte = nullptr;
};

// Nothing for other rules, types and shifts, and where there are no vectors.
std::optional<IntegerProducts> integer_products(const IntegerRule& rule,
                                                std::span<const Dtype> sources, Dtype dst);

// False where the elements of a frame stand otherwise; then nothing is written.
bool run_products(const IntegerProducts& products, const Row& frame);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_PRODUCTS_H_
