// What each mode of tensor/rounding.h adds to an integer before a right shift, so that the floor of
// the sum is the rounded quotient. The loops over vectors take their numbers from here.
#ifndef TENSORLANE_COMPUTE_SHIFT_ROUNDING_H_
#define TENSORLANE_COMPUTE_SHIFT_ROUNDING_H_

#include <cstdint>

#include "tensorlane/tensor/rounding.h"

namespace tensorlane {

// Of a shift by k, 2^k - 1 is the most that is shifted out: half of 2^k and that most where the
// masks are set, and `one`; `even` where the last bit that stays is set; where the value is
// negative, the most by a mask and one.
struct ShiftRounding {
  std::int64_t half = 0, rest = 0, one = 0, even = 0, negative_rest = 0, negative_one = 0;

  bool rounds() const { return (half | rest | one | even | negative_rest | negative_one) != 0; }
  // Whether neither oddness nor the sign matters.
  bool is_plain() const { return (even | negative_rest | negative_one) == 0; }
  bool looks_at_sign() const { return (negative_rest | negative_one) != 0; }
  // For a shift that is known, of which `most` is 2^k - 1.
  std::int64_t base(std::int64_t most) const {
    return ((most - most / 2) & half) + (most & rest) + one;
  }
  std::int64_t of_negative(std::int64_t most) const {
    return (most & negative_rest) + negative_one;
  }
};

constexpr ShiftRounding shift_rounding(RoundingMode mode) {
  switch (mode) {
    case RoundingMode::kHalfToEven:
      return {.half = -1, .one = -1, .even = 1};
    case RoundingMode::kHalfAwayFromZero:
      return {.half = -1, .negative_one = -1};
    case RoundingMode::kTowardsZero:
      return {.negative_rest = -1};
    case RoundingMode::kDown:
      return {};
    case RoundingMode::kUp:
      return {.rest = -1};
    case RoundingMode::kHalfUp:
      return {.half = -1};
    case RoundingMode::kHalfDown:
      return {.half = -1, .one = -1};
  }
  return {};
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_SHIFT_ROUNDING_H_
