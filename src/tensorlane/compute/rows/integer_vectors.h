// Integer arithmetic in vectors, for functions whose operands have integer types that arguments of
// the call decide: sums, differences and products, shifted with rounding, then saturated.
//
// Sources are widened to the shortest lanes that hold every step, 16 to 64 bits; the results keep
// the low bits of the destination's type. Rows of elements side by side are read and written where
// they are, others are gathered in short chunks. The steps are exact, so the bits are
// those of the scalar formulas in the ops list.
#ifndef TENSORLANE_COMPUTE_ROWS_INTEGER_VECTORS_H_
#define TENSORLANE_COMPUTE_ROWS_INTEGER_VECTORS_H_

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "tensorlane/compute/rows/integer_rows.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane {

enum class IntegerOperation : std::uint8_t {
  kAdd,           // a + b
  kSubtract,      // a - b
  kMultiply,      // a * b
  kMultiplyAdd,   // sum, a, b: (sum << left) + a * b
  kFirst,         // a, of one source
  kMultiplyPair,  // high, low, b: (high * 256 + low) * b
  kMaximum,
  kMinimum,
  kShift,        // a shifted by b: left_places(b) where that is positive, else right with rounding
  kShiftByByte,  // a of 16 bits shifted by the low byte of b, all bits out where that is further
};

// How far a positive shift goes to the left: by its low five bits. [observed, both chips: by 32 is
// not at all]
constexpr int left_places(std::int64_t shift) {
  return static_cast<int>(shift & 31);
}

// The operation; its result shifted `left` (but for kMultiplyAdd, where the sum is), then `right`
// with rounding; then the nearest value that the destination holds, or the low bits.
struct IntegerRule {
  IntegerOperation operation = IntegerOperation::kAdd;
  int left = 0;
  int right = 0;
  RoundingMode mode = RoundingMode::kDown;
  bool saturate = true;
};

// The row function of a rule; null where lanes of 64 bits do not hold every step either. Raw types
// are unsigned ones.
RowFunction integer_vector_row(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst);

// The vector form in front of `rest`.
std::vector<Implementation> integer_simd(std::string_view dst, std::vector<IntegerSource> sources,
                                         std::function<IntegerRule(const Command&)> rule,
                                         std::vector<Implementation> rest);
// The same where the int8 tensor `shift` holds the shift of every channel, left where it is
// positive, instead of the rule.
std::vector<Implementation> integer_simd_per_channel(
    std::string_view dst, std::vector<IntegerSource> sources, std::string_view shift,
    std::function<IntegerRule(const Command&)> rule, std::vector<Implementation> rest);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_VECTORS_H_
