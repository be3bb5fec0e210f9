// Element-wise functions of integers whose types arguments of the call decide: an exact operation,
// shifted with rounding, then saturated or cut to its low bits.
//
//   .implementations = integer_rows("dst_addr", {"src0_addr", "src1_addr"},
//                          [](const Command&) { return IntegerRule{IntegerOperation::kAdd}; }),
//
// A rule is the whole of a function: its vectors (integer_vectors.h), its rows and its reference
// compute what the rule says. Up to 20 combinations of types go with each.
#ifndef TENSORLANE_COMPUTE_ROWS_INTEGER_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_INTEGER_ROWS_H_

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "tensorlane/compute/rows/widened_rows.h"
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

// What a rule makes of exact values.
class IntegerFormula {
 public:
  IntegerFormula(const IntegerRule& rule, Dtype dst) : rule_(rule), range_(integer_range(dst)) {}

  std::int64_t operator()(std::int64_t a, std::int64_t b = 0, std::int64_t c = 0) const;
  // With a shift of its own instead of the rule's: to the left where it is positive.
  std::int64_t shifted(std::int64_t shift, std::int64_t a, std::int64_t b) const;

 private:
  __extension__ using Exact = __int128;
  Exact before_shift(Exact a, Exact b, Exact c) const;
  std::int64_t finish(Exact value, int right) const;

  IntegerRule rule_;
  IntegerRange range_;
};
IntegerRule with_shift(IntegerRule rule, int shift);

// The row function of a rule, element by element.
RowFunction integer_scalar_row(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst);

// The row function that takes elements as they are stored, in lanes as wide as they are:
// comparisons, what keeps the low bits of a sum, a difference or a product, whatever the signs, and
// what saturates without a shift (saturated_rows.h). Null for other rules and types.
SimdRow row_as_stored(const IntegerRule& rule, std::span<const Dtype> sources, Dtype dst);

using IntegerRuleOf = std::function<IntegerRule(const Command&)>;
// The implementations of a function of one to three sources.
std::vector<Implementation> integer_rows(std::string_view dst, std::vector<SourceParam> sources,
                                         IntegerRuleOf rule);
// The same of two sources, where the int8 tensor `shift` holds the shift of every channel, left
// where it is positive, instead of the rule.
std::vector<Implementation> integer_rows_per_channel(std::string_view dst,
                                                     std::vector<SourceParam> sources,
                                                     std::string_view shift, IntegerRuleOf rule);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_ROWS_H_
