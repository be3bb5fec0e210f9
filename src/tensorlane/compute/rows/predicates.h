// Comparisons of the BM1684X, for floats and for integers. [observed]
//
//   greater        a > b by value, denormals as zero; false when unordered
//   equal          equal by value, or the same bits (so a NaN equals itself)
//   less           neither greater nor equal: true for a NaN and anything with other bits
//
// kVectors is the same test in vectors. 16-bit floats come widened; their denormals are normal
// numbers of the wider type, as they should.
#ifndef TENSORLANE_COMPUTE_ROWS_PREDICATES_H_
#define TENSORLANE_COMPUTE_ROWS_PREDICATES_H_

#include <cstdint>

#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/typed_rows.h"
#include "tensorlane/ops/op.h"

namespace tensorlane {

struct Greater {
  static constexpr TypedRow kVectors = TypedRow::kGreater;
  bool operator()(float a, float b) const { return fp32::greater(a, b); }
  bool operator()(std::int64_t a, std::int64_t b) const { return a > b; }
};
struct Equal {
  static constexpr TypedRow kVectors = TypedRow::kEqual;
  bool operator()(float a, float b) const {
    return fp32::flush(a) == fp32::flush(b) || fp32::bits(a) == fp32::bits(b);
  }
  bool operator()(std::int64_t a, std::int64_t b) const { return a == b; }
};
struct GreaterEqual {
  static constexpr TypedRow kVectors = TypedRow::kGreaterEqual;
  template <class T>
  bool operator()(T a, T b) const {
    return Greater{}(a, b) || Equal{}(a, b);
  }
};
struct Less {
  static constexpr TypedRow kVectors = TypedRow::kLess;
  template <class T>
  bool operator()(T a, T b) const {
    return !GreaterEqual{}(a, b);
  }
};
struct LessEqual {
  static constexpr TypedRow kVectors = TypedRow::kLessEqual;
  template <class T>
  bool operator()(T a, T b) const {
    return !Greater{}(a, b);
  }
};
struct NotEqual {
  static constexpr TypedRow kVectors = TypedRow::kNotEqual;
  template <class T>
  bool operator()(T a, T b) const {
    return !Equal{}(a, b);
  }
};

// max takes the first operand where it is greater, min the second where the first is not less; the
// value that is taken keeps its bits, but for denormals of fp32 and bf16, which become zero.
struct MaximumTakesFirst {
  static constexpr Combination kCombination = Combination::kMaximum;
  template <class T>
  bool operator()(T a, T b) const {
    return Greater{}(a, b);
  }
};
struct MinimumTakesFirst {
  static constexpr Combination kCombination = Combination::kMinimum;
  bool operator()(float a, float b) const { return !(fp32::flush(a) >= fp32::flush(b)); }
  bool operator()(std::int64_t a, std::int64_t b) const { return !(a >= b); }
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_PREDICATES_H_
