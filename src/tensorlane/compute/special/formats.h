// What the special functions of the BM1684X know about a floating point type.
//
// The chip computes them in the type of the call and rounds after every operation. The lengths of
// its series and the ends of its exponential differ between the types. [observed: recorded calls
// over every 16-bit operand and over all exponents of fp32]
#ifndef TENSORLANE_COMPUTE_SPECIAL_FORMATS_H_
#define TENSORLANE_COMPUTE_SPECIAL_FORMATS_H_

#include "tensorlane/tensor/float16.h"

namespace tensorlane::special {

// Of the terms of sine and cosine that the chip has, kTurnTable, those beyond kTurnTerms change no
// result: of any operand in 16 bits.
struct Fp32 {
  static constexpr bool kTables = false, kChecksRoots = false;
  static constexpr const FloatFormat& kFormat = kFp32Format;
  static constexpr int kExpTerms = 10, kLogTerms = 16, kTurnTable = 32, kTurnTerms = 13;
  // exp takes operands below for this number (any number of -4.6e35 to -3.3e35 gives these bits).
  static constexpr float kExpBegin = -0x1p118F;
  static constexpr float kSmallest = 0x1p-126F;    // normal number
  static constexpr bool kZeroHasLogarithm = true;  // ln(+0) is -Inf
};
struct Fp16 {
  static constexpr bool kTables = false, kChecksRoots = false;
  static constexpr const FloatFormat& kFormat = kFp16Format;
  static constexpr int kExpTerms = 7, kLogTerms = 8, kTurnTable = 16, kTurnTerms = 8;
  static constexpr float kSmallest = 0x1p-14F;
  static constexpr float kExpBegin = -45408, kExpEnd = 45408;  // 65504 * ln 2
  static constexpr bool kZeroHasLogarithm = false;
};
struct Bf16 {
  static constexpr bool kTables = false, kChecksRoots = false;
  static constexpr const FloatFormat& kFormat = kBf16Format;
  static constexpr int kExpTerms = 7, kLogTerms = 8, kTurnTable = 16, kTurnTerms = 8;
  static constexpr float kSmallest = 0x1p-126F;
  static constexpr bool kZeroHasLogarithm = false;
};

// fp32 as the BM1688 computes in it: e^k from a table, exponents divided off before a logarithm,
// zero, infinite, negative and NaN operands of roots looked at. [observed: 90 dense recordings]
struct Fp32Tables : Fp32 {
  static constexpr bool kTables = true, kChecksRoots = true;
  static constexpr int kExpTerms = 32;
  static constexpr bool kZeroHasLogarithm = false;
};
// fp16 where roots take their steps in fp16 too. [a published hash of 2^20 quotients]
struct Fp16Steps : Fp16 {
  static constexpr bool kChecksRoots = true;
  static constexpr int kRsqrtGuess = 0x59ba;
};

// e^k for k from kLeastPower on, as the tables of the chips have it.
inline constexpr int kLeastPower = -103, kGreatestPower = 88, kPowers = 192;
const float* powers_of_e();

// The value of the type nearest to `value`, zero for what would be denormal in a type that has no
// denormal numbers on the chip.
template <class Format>
constexpr float nearest(double value) {
  const float wide = static_cast<float>(value);
  const auto bits = float_to_format(wide, Format::kFormat, RoundingMode::kHalfToEven);
  return format_to_float(bits, Format::kFormat);
}

}  // namespace tensorlane::special

#endif  // TENSORLANE_COMPUTE_SPECIAL_FORMATS_H_
