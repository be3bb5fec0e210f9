// The exponential family of the BM1684: Taylor polynomials and a table of e^k for integers k.
//
//   exp(x) = T[k] + T[k] * w,   k = x cut toward zero,   w = the polynomial of x - k without its 1
//
// Every product and sum is rounded on its own, in the order written here, in the chip's float mode.
// [observed: golden vectors, numerics section 1]
#ifndef TENSORLANE_COMPUTE_SPECIAL_FP32_EXPONENTIAL_H_
#define TENSORLANE_COMPUTE_SPECIAL_FP32_EXPONENTIAL_H_

#include <array>
#include <cstdint>
#include <limits>

#include "tensorlane/compute/fp32_arithmetic.h"

namespace tensorlane::fp32 {

inline constexpr int kMaxSeries = 64;

// 1 / k! as the chip has it: a chain of divisions, flushed to zero from k = 34 on.
inline constexpr std::array<float, kMaxSeries + 1> kTaylor = [] {
  std::array<float, kMaxSeries + 1> c{1.0f};
  for (int k = 1; k <= kMaxSeries; ++k) c[k] = k < 34 ? c[k - 1] / static_cast<float>(k) : 0.0f;
  return c;
}();

// Sum of x^k / k! for k = 1 .. series, series in [1, 64].
inline float taylor_tail(float x, int series) {
  float sum = kTaylor[series];
  for (int k = series - 1; k >= 1; --k) sum = add(mul(sum, x), kTaylor[k]);
  return mul(sum, x);
}
// The same from k = 0 on.
inline float taylor(float x, int series) {
  return add(taylor_tail(x, series), kTaylor[0]);
}

// Cut toward zero and saturated; NaN gives the largest number of its sign.
inline std::int32_t to_int32(float x) {
  if (is_nan(x) || flush(x) >= 2147483648.0f || flush(x) < -2147483648.0f) {
    return (bits(x) & 0x80000000u) != 0 ? std::numeric_limits<std::int32_t>::min()
                                        : std::numeric_limits<std::int32_t>::max();
  }
  return static_cast<std::int32_t>(x);
}

// Both tables have 256 entries; the low byte of the index, as a signed number, counts.
inline float lookup_float(std::int32_t k) {
  return static_cast<float>(static_cast<std::int8_t>(k));
}
// Bits of e^k, zero outside [-103, 88]; entries below e^-87 are denormal.
extern const std::array<std::int32_t, 256> kExpByLowByte;
inline float lookup_exp(std::int32_t k) {
  return std::bit_cast<float>(kExpByLowByte[static_cast<std::uint8_t>(k)]);
}

// The two halves of exp; the work tensor holds the first in between.
inline float exp_tail(float x, int series) {
  return taylor_tail(sub(x, lookup_float(to_int32(x))), series);
}
inline float exp_from_tail(float x, float tail) {
  const float table = lookup_exp(to_int32(x));
  return add(table, mul(table, tail));
}
inline float exp(float x, int series) {
  return exp_from_tail(x, exp_tail(x, series));
}

}  // namespace tensorlane::fp32

#endif  // TENSORLANE_COMPUTE_SPECIAL_FP32_EXPONENTIAL_H_
