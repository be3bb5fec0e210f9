// Rounding and saturation, as exact integer arithmetic.
//
// Every conversion and every integer shift of the chips rounds in one of seven ways. Here they are
// written once, for numbers that are exact; the fast paths elsewhere are tested against these.
//
//   mode                    -2.5 -1.5 -0.5  0.5  1.5  2.5
//   0 half to even            -2   -2    0    0    2    2
//   1 half away from zero     -3   -2   -1    1    2    3
//   2 towards zero            -2   -1    0    0    1    2
//   3 down                    -3   -2   -1    0    1    2
//   4 up                      -2   -1    0    1    2    3
//   5 half up                 -2   -1    0    1    2    3
//   6 half down               -3   -2   -1    0    1    2
//
// The codes are those of rounding_mode_t in tpu_kernel.h. Modes 5 and 6 exist for right shifts of
// integers only: a conversion that starts from a float takes modes 0 to 4.
#ifndef TENSORLANE_TENSOR_ROUNDING_H_
#define TENSORLANE_TENSOR_ROUNDING_H_

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

enum class RoundingMode : std::uint8_t {
  kHalfToEven = 0,
  kHalfAwayFromZero = 1,
  kTowardsZero = 2,
  kDown = 3,
  kUp = 4,
  kHalfUp = 5,
  kHalfDown = 6,
};
inline constexpr int kRoundingModeCount = 7;
inline constexpr int kFloatRoundingModeCount = 5;  // modes 0..4, legal for float sources

// "half_to_even", "half_away_from_zero", "towards_zero", "down", "up", "half_up", "half_down".
std::string_view rounding_mode_name(RoundingMode mode);
// Throws UserError with the nearest spelling for an unknown name.
RoundingMode parse_rounding_mode(std::string_view name);
constexpr bool legal_for_floats(RoundingMode mode) {
  return static_cast<int>(mode) < kFloatRoundingModeCount;
}

// round(value / 2^shift) of an exact value. `shift` >= 0; above 63 it acts as 63, as on the chip.
constexpr std::int64_t rounding_shift_right(std::int64_t value, int shift, RoundingMode mode) {
  if (shift <= 0) return value;
  const int k = std::min(shift, 63);
  const std::int64_t floor = value >> k;
  const std::uint64_t unit = std::uint64_t{1} << k;
  const std::uint64_t rest = static_cast<std::uint64_t>(value) & (unit - 1);
  const std::uint64_t half = unit / 2;
  bool up = false;
  switch (mode) {
    case RoundingMode::kHalfToEven:
      up = rest > half || (rest == half && (floor & 1) != 0);
      break;
    case RoundingMode::kHalfAwayFromZero:
      up = value >= 0 ? rest >= half : rest > half;
      break;
    case RoundingMode::kTowardsZero:
      up = value < 0 && rest != 0;
      break;
    case RoundingMode::kDown:
      break;
    case RoundingMode::kUp:
      up = rest != 0;
      break;
    case RoundingMode::kHalfUp:
      up = rest >= half;
      break;
    case RoundingMode::kHalfDown:
      up = rest > half;
      break;
  }
  return floor + (up ? 1 : 0);
}

// The shift of the integer functions: left (low 64 bits kept) for shift > 0, rounding right for
// shift < 0.
constexpr std::int64_t rounding_shift(std::int64_t value, int shift, RoundingMode mode) {
  if (shift <= 0) return rounding_shift_right(value, -std::max(shift, -63), mode);
  if (shift > 63) return 0;
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << shift);
}

// round(magnitude / 2^shift) of a sign-and-magnitude number, as floats are; the result is a
// magnitude too. `shift` >= 0 without upper limit.
constexpr std::uint64_t round_magnitude(std::uint64_t magnitude, int shift, bool negative,
                                        RoundingMode mode) {
  if (shift <= 0) return magnitude;
  const std::uint64_t floor = shift < 64 ? magnitude >> shift : 0;
  const std::uint64_t unit_mask = shift < 64 ? (std::uint64_t{1} << shift) - 1 : ~std::uint64_t{0};
  const std::uint64_t rest = magnitude & unit_mask;
  // Beyond a shift of 64 the whole magnitude is less than half a unit.
  const std::uint64_t half = shift <= 64 ? std::uint64_t{1} << (shift - 1) : 0;
  const bool at_least_half = half != 0 && rest >= half;
  const bool above_half = half != 0 && rest > half;
  bool away = false;
  switch (mode) {
    case RoundingMode::kHalfToEven:
      away = above_half || (at_least_half && (floor & 1) != 0);
      break;
    case RoundingMode::kHalfAwayFromZero:
      away = at_least_half;
      break;
    case RoundingMode::kTowardsZero:
      break;
    case RoundingMode::kDown:
      away = negative && rest != 0;
      break;
    case RoundingMode::kUp:
      away = !negative && rest != 0;
      break;
    case RoundingMode::kHalfUp:
      away = negative ? above_half : at_least_half;
      break;
    case RoundingMode::kHalfDown:
      away = negative ? at_least_half : above_half;
      break;
  }
  return floor + (away ? 1 : 0);
}

// The nearest value that the integer type T holds.
template <class T>
constexpr T saturate(std::int64_t value) {
  return static_cast<T>(std::clamp<std::int64_t>(value, std::numeric_limits<T>::min(),
                                                 std::numeric_limits<T>::max()));
}

// Smallest and largest value of an integer dtype; the 4-bit types included, raw types not.
struct IntegerRange {
  std::int64_t min;
  std::int64_t max;
};
constexpr IntegerRange integer_range(int bits, bool is_signed) {
  const std::int64_t top = std::int64_t{1} << (is_signed ? bits - 1 : bits);
  return {is_signed ? -top : 0, top - 1};
}
// Internal error for a dtype that is no integer type.
IntegerRange integer_range(Dtype dtype);

}  // namespace tensorlane

#endif  // TENSORLANE_TENSOR_ROUNDING_H_
