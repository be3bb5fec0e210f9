// Binary floating point formats, read and written by integer arithmetic.
//
//   format    bits  exponent  mantissa  bias  largest   Inf   NaN
//   fp32        32         8        23   127  3.4e38    yes   IEEE
//   fp16        16         5        10    15  65504     yes   IEEE
//   bf16        16         8         7   127  3.4e38    yes   IEEE
//   fp8e5m2      8         5         2    15  57344     yes   IEEE
//   fp8e4m3      8         4         3     7  448       no    exponent and mantissa all ones only
//
// A Real is an exact number between two formats: unpack() reads bits into it, pack() rounds it into
// bits, to_integer() rounds it to a whole number. Every conversion of the library is defined by
// these three; they use no floating point arithmetic of the host.
#ifndef TENSORLANE_TENSOR_FLOAT_FORMAT_H_
#define TENSORLANE_TENSOR_FLOAT_FORMAT_H_

#include <bit>
#include <cstdint>

#include "tensorlane/tensor/dtype.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane {

// kFp32Format, kFp16Format and so on: one for every row of TL_FLOAT_DTYPES.
#define TL_FORMAT(type, name, ...) inline constexpr FloatFormat k##type##Format{__VA_ARGS__};
TL_FLOAT_DTYPES(TL_FORMAT)
#undef TL_FORMAT

// The format of a float dtype; internal error for any other.
const FloatFormat& float_format(Dtype dtype);

// What becomes of a finite number whose rounded value is above the largest finite one.
enum class OverflowRule : std::uint8_t {
  kByMode,    // IEEE 754: Inf, but the largest finite number where the mode rounds towards zero
  kInfinity,  // Inf in every mode (NaN in fp8e4m3, which has no Inf)
  kSaturate,  // the largest finite number in every mode; Inf operands become it too
};

// What bits a NaN gets.
enum class NanRule : std::uint8_t {
  kKeep,       // sign and leading payload bits of the operand, made quiet
  kCanonical,  // the chip's one pattern: 0x7fff in 16 bits, 0xffc00000 in fp32, 0x7f in 8 bits
};

// A number, exactly: significand * 2^exponent, or a special value.
struct Real {
  enum class Kind : std::uint8_t { kFinite, kInfinity, kNan };
  Kind kind = Kind::kFinite;
  bool negative = false;
  int exponent = 0;
  std::uint64_t significand = 0;  // of a NaN: its payload, aligned to the top of 23 bits

  constexpr bool is_zero() const { return kind == Kind::kFinite && significand == 0; }

  static constexpr Real from_integer(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    return {Kind::kFinite, value < 0, 0, value < 0 ? ~bits + 1 : bits};
  }
};

constexpr bool is_denormal(std::uint32_t bits, const FloatFormat& format) {
  return (bits & format.exponent_mask()) == 0 && (bits & format.mantissa_mask()) != 0;
}

constexpr bool is_nan(std::uint32_t bits, const FloatFormat& format) {
  const std::uint32_t magnitude = bits & (format.sign_bit() - 1);
  return format.has_infinity ? magnitude > format.infinity() : magnitude == format.infinity();
}

constexpr Real unpack(std::uint32_t bits, const FloatFormat& format) {
  Real real;
  real.negative = (bits & format.sign_bit()) != 0;
  const std::uint32_t mantissa = bits & format.mantissa_mask();
  const auto field = static_cast<int>((bits & format.exponent_mask()) >> format.mantissa_bits);
  if (is_nan(bits, format)) {
    real.kind = Real::Kind::kNan;
    real.significand = std::uint64_t{mantissa} << (23 - format.mantissa_bits);
  } else if (format.has_infinity && (bits & (format.sign_bit() - 1)) == format.infinity()) {
    real.kind = Real::Kind::kInfinity;
  } else if (field == 0) {
    real.significand = mantissa;
    real.exponent = format.min_exponent() - format.mantissa_bits;
  } else {
    real.significand = mantissa | (std::uint64_t{1} << format.mantissa_bits);
    real.exponent = field - format.bias() - format.mantissa_bits;
  }
  return real;
}

// Position of the highest one, counted from 1; 0 for 0.
constexpr int bit_count(std::uint64_t value) {
  return static_cast<int>(std::bit_width(value));
}

constexpr std::uint32_t canonical_nan(const FloatFormat& format) {
  if (format == kFp32Format) return 0xffc00000U;
  return format.sign_bit() - 1;
}

// Bits (without sign) of a finite result that is above the largest finite number.
constexpr std::uint32_t overflow_bits(const FloatFormat& format, bool negative, RoundingMode mode,
                                      OverflowRule rule) {
  const bool towards_zero = mode == RoundingMode::kTowardsZero ||
                            (mode == RoundingMode::kDown && !negative) ||
                            (mode == RoundingMode::kUp && negative);
  if (rule == OverflowRule::kSaturate) return format.max_finite();
  if (rule == OverflowRule::kByMode && towards_zero) return format.max_finite();
  return format.infinity();
}

constexpr std::uint32_t pack(const Real& real, const FloatFormat& format, RoundingMode mode,
                             OverflowRule overflow = OverflowRule::kByMode,
                             NanRule nan = NanRule::kKeep) {
  const std::uint32_t sign = real.negative ? format.sign_bit() : 0;
  if (real.kind == Real::Kind::kNan) {
    if (nan == NanRule::kCanonical) return canonical_nan(format);
    if (!format.has_infinity) return sign | format.infinity();
    const auto payload =
        static_cast<std::uint32_t>(real.significand >> (23 - format.mantissa_bits));
    return sign | format.infinity() | format.quiet_bit() | payload;
  }
  if (real.kind == Real::Kind::kInfinity) {
    return sign | (overflow == OverflowRule::kSaturate ? format.max_finite() : format.infinity());
  }
  if (real.significand == 0) return sign;

  // The unit of the result's last place is 2^unit; denormal numbers share that of the smallest
  // normal one.
  const int top = real.exponent + bit_count(real.significand) - 1;
  const int exponent = std::max(top, format.min_exponent());
  const int unit = exponent - format.mantissa_bits;
  const int shift = unit - real.exponent;
  const std::uint64_t rounded = shift >= 0
                                    ? round_magnitude(real.significand, shift, real.negative, mode)
                                    : real.significand << -shift;
  // The leading one of a normal number adds 1 to the exponent field, and so does a carry.
  const std::uint64_t magnitude =
      rounded +
      (static_cast<std::uint64_t>(exponent - format.min_exponent()) << format.mantissa_bits);
  if (magnitude > format.max_finite()) {
    return sign | overflow_bits(format, real.negative, mode, overflow);
  }
  return sign | static_cast<std::uint32_t>(magnitude);
}

// Nearest whole number by `mode`, limited to +-2^62 (far outside every integer dtype). Zero for a
// NaN, whose meaning depends on the destination.
constexpr std::int64_t to_integer(const Real& real, RoundingMode mode) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 62;
  if (real.kind == Real::Kind::kNan) return 0;
  std::int64_t magnitude = kLimit;
  if (real.is_zero()) {
    magnitude = 0;
  } else if (real.kind == Real::Kind::kFinite &&
             real.exponent + bit_count(real.significand) <= 62) {
    magnitude = static_cast<std::int64_t>(
        real.exponent >= 0
            ? real.significand << real.exponent
            : round_magnitude(real.significand, -real.exponent, real.negative, mode));
  }
  return real.negative ? -magnitude : magnitude;
}

}  // namespace tensorlane

#endif  // TENSORLANE_TENSOR_FLOAT_FORMAT_H_
