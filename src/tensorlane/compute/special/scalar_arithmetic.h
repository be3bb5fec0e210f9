// The arithmetic of formulas_inl.h on one value: the reference.
#ifndef TENSORLANE_COMPUTE_SPECIAL_SCALAR_ARITHMETIC_H_
#define TENSORLANE_COMPUTE_SPECIAL_SCALAR_ARITHMETIC_H_

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/special/formats.h"

namespace tensorlane::special {

template <class FormatOfCall>
struct ScalarArithmetic {
  using Format = FormatOfCall;
  using V = float;

  static float set(float value) { return value; }
  // Rounded to the type; in types without denormal numbers those become zero.
  static float rounded(float x) {
    if constexpr (Format::kFormat == kFp32Format) return x;
    if (fp32::is_nan(x)) return x;
    const float value = nearest<Format>(x);
    return Format::kFormat == kBf16Format ? fp32::flush(value) : value;
  }
  // What the call reads: the denormal numbers of bf16 are zeros.
  static float read(float x) { return Format::kFormat == kBf16Format ? fp32::flush(x) : x; }
  // What it writes.
  static float written(float x) { return fp32::is_nan(x) ? fp32::from_bits(0xffc00000U) : x; }

  static float add(float a, float b) { return rounded(a + b); }
  static float sub(float a, float b) { return rounded(a - b); }
  static float mul(float a, float b) { return rounded(a * b); }
  static float add_gradually(float a, float b) { return add(a, b); }
  static float mul_gradually(float a, float b) { return mul(a, b); }
  // A step of a series: sum * x + c.
  static float next_term(float sum, float x, float c) { return add(mul(sum, x), c); }
  static float floor(float x) { return std::floor(x); }
  static float round_half_even(float x) { return std::nearbyint(x); }
  static float round_half_away(float x) { return std::round(x); }
  static float absolute(float x) { return std::fabs(x); }
  static float flip_sign(float x, float sign) {
    return fp32::from_bits(fp32::bits(x) ^ (fp32::bits(sign) & 0x80000000U));
  }
  static float or_sign(float x, float sign) {
    return fp32::from_bits(fp32::bits(x) | (fp32::bits(sign) & 0x80000000U));
  }

  static bool greater(float a, float b) { return a > b; }
  static bool equal(float a, float b) { return a == b; }
  static bool same_bits(float a, float b) { return fp32::bits(a) == fp32::bits(b); }
  // Of numbers without sign, a NaN as the largest.
  static bool larger_size(float a, float b) { return fp32::bits(a) > fp32::bits(b); }
  static float select(bool condition, float yes, float no) { return condition ? yes : no; }

  static float rsqrt_guess(float x) {
    if constexpr (requires { Format::kRsqrtGuess; }) {
      const int half = static_cast<std::int16_t>(float_to_fp16(x)) >> 1;
      return fp16_to_float(static_cast<std::uint16_t>(Format::kRsqrtGuess - half));
    }
    // Read anew: the steps of an operand that the compiler knows it would take beforehand, outside
    // of the chips' float mode.
    const volatile float seen = x;
    const auto half = static_cast<std::uint32_t>(std::bit_cast<std::int32_t>(float{seen}) >> 1);
    return fp32::from_bits(0x5f3759dfU - half);
  }
  // e^k for whole k of the table.
  static float power_of_e(float k) {
    return powers_of_e()[static_cast<std::int32_t>(k) - kLeastPower];
  }
  // 2^k for whole k from minus the type's bias on, which gives 0.
  static float power_of_two(float k) {
    if (k == static_cast<float>(-Format::kFormat.bias())) return 0;
    return fp32::from_bits(static_cast<std::uint32_t>(static_cast<std::int32_t>(k) + 127) << 23U);
  }
  // The whole number e with 2^e * threshold < x <= 2^(e + 1) * threshold, x > 0.
  static float exponent_above(float x, float threshold) {
    const std::int32_t above =
        std::bit_cast<std::int32_t>(x) - std::bit_cast<std::int32_t>(threshold) - 1;
    return static_cast<float>(above >> 23);
  }
  // 2^-e as the exponent field has it: 0 where e is the bias and -Inf beyond.
  static float power_of_minus_two(float e) {
    constexpr auto kBias = static_cast<float>(Format::kFormat.bias());
    if (e > kBias) return -std::numeric_limits<float>::infinity();
    return power_of_two(-e);
  }
};

}  // namespace tensorlane::special

#endif  // TENSORLANE_COMPUTE_SPECIAL_SCALAR_ARITHMETIC_H_
