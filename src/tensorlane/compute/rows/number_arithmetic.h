// The arithmetic of single numbers for row_formulas.h: what rows of any form and the reference
// compute. Its vectors are float_numbers_inl.h and the types of typed_rows.cc.
//
// In the chips' float environment (ChipFloatScope).
#ifndef TENSORLANE_COMPUTE_ROWS_NUMBER_ARITHMETIC_H_
#define TENSORLANE_COMPUTE_ROWS_NUMBER_ARITHMETIC_H_

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/half_arrays.h"
#include "tensorlane/compute/special/fp32_exponential.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// A small whole number of any type.
struct SmallNumber {
  int value;
  template <class T>
  constexpr operator T() const {  // NOLINT(google-explicit-constructor)
    return static_cast<T>(value);
  }
};

struct Choices {
  static SmallNumber set(int value) { return {value}; }
  static SmallNumber zero() { return {0}; }
  static bool either(bool a, bool b) { return a || b; }
  template <class T>
  static T select(bool condition, T yes, std::type_identity_t<T> no) {
    return condition ? yes : no;
  }
};

// fp32, and 16-bit floats in fp32 where one step is rounded at the end. Comparisons read denormals
// as zero, on flushed values so that no compiler folds them before the mode is set.
struct FloatNumbers : Choices {
  static float add(float a, float b) { return fp32::add(a, b); }
  static float sub(float a, float b) { return fp32::sub(a, b); }
  static float mul(float a, float b) { return fp32::mul(a, b); }
  static float square(float a) { return fp32::mul(a, a); }
  static float div(float a, float b) { return fp32::div(a, b); }
  static float rsqrt(float a) { return fp32::rsqrt(a); }

  static bool greater(float a, float b) { return fp32::greater(a, b); }
  static bool at_least(float a, float b) { return fp32::flush(a) >= fp32::flush(b); }
  static bool at_most(float a, float b) { return fp32::flush(a) <= fp32::flush(b); }
  static bool equal_bits(float a, float b) { return fp32::bits(a) == fp32::bits(b); }
  // By value, or the same bits: so a NaN equals itself. [observed]
  static bool equal(float a, float b) {
    return fp32::flush(a) == fp32::flush(b) || equal_bits(a, b);
  }
  static bool greater_or_equal(float a, float b) { return greater(a, b) || equal(a, b); }
  static float flushed(float a) { return fp32::flush(a); }
  static float sign(float a) {
    const float value = fp32::flush(a);
    return value > 0 ? 1.0F : value == 0 ? 0.0F : -1.0F;
  }
  static float one_if_finite(float a) { return std::isfinite(a) ? 1.0F : 0.0F; }

  static std::int32_t exponent_number(float a) {
    return static_cast<std::int32_t>((fp32::bits(a) >> 23U) & 0xffU) - 127;
  }
  static float exponent(float a) { return static_cast<float>(exponent_number(a)); }
  static std::int32_t cut(float a) { return fp32::to_int32(a); }
  static std::int32_t bits_of_int(std::int32_t k) { return k; }
  static std::int32_t int_of_bits(std::int32_t k) { return k; }
  static float low_byte(std::int32_t k) { return fp32::lookup_float(k); }
  static float exp_by_table(std::int32_t k) { return fp32::lookup_exp(k); }
  static float exp_of(float a, float tail) { return fp32::exp_from_tail(a, tail); }
};

// 16-bit floats where a formula has more steps than one, each of which is rounded.
template <Dtype kDtype>
struct RoundedNumbers : FloatNumbers {
  static float rounded(float value) {
    std::byte half[2];
    narrow_to_halves(kDtype, &value, 1, half);
    widen_halves(kDtype, half, 1, &value);
    return value;
  }
  static float add(float a, float b) { return rounded(fp32::add(a, b)); }
  static float sub(float a, float b) { return rounded(fp32::sub(a, b)); }
  static float mul(float a, float b) { return rounded(fp32::mul(a, b)); }
  static float square(float a) { return mul(a, a); }
};

// Integers up to 32 bits, of which the low bits stay.
struct IntegerNumbers : Choices {
  using Wide = std::int64_t;
  static Wide add(Wide a, Wide b) { return a + b; }
  static Wide mul(Wide a, Wide b) {
    return static_cast<Wide>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
  }
  static Wide sub(Wide a, Wide b) { return a - b; }
  static Wide max(Wide a, Wide b) { return std::max(a, b); }
  static Wide min(Wide a, Wide b) { return std::min(a, b); }
  static Wide absolute(Wide a) { return a < 0 ? -a : a; }
  static Wide sign(Wide a) { return a > 0 ? 1 : a == 0 ? 0 : -1; }
  static bool greater(Wide a, Wide b) { return a > b; }
  static bool equal(Wide a, Wide b) { return a == b; }
  static bool greater_or_equal(Wide a, Wide b) { return a >= b; }
};

// Bits that nobody interprets, and int32 shifted.
struct BitNumbers {
  using Bits = std::uint32_t;
  static Bits both(Bits a, Bits b) { return a & b; }
  static Bits any(Bits a, Bits b) { return a | b; }
  static Bits one(Bits a, Bits b) { return a ^ b; }
  static Bits complement(Bits a) { return ~a; }
  // The low six bits of an amount count, as a signed number; of its magnitude the low five. So
  // amounts of 32 and -32, which the documents allow, change nothing. [observed]
  template <class T>
  static T shift(T value, std::int32_t amount) {
    const int s = static_cast<std::int32_t>(static_cast<Bits>(amount) << 26U) >> 26;
    return s >= 0 ? static_cast<T>(static_cast<Bits>(value) << static_cast<unsigned>(s & 31))
                  : value >> (-s & 31);
  }
};

// A float as memory holds it, of the type `dtype`, beside its value: what is chosen keeps its bits,
// but denormal numbers of fp32 and bf16 turn into zeros.
struct StoredFloat {
  float value;
  std::uint32_t bits;
  Dtype dtype;
};
struct StoredFloats : Choices {
  static bool greater(StoredFloat a, StoredFloat b) {
    return FloatNumbers::greater(a.value, b.value);
  }
  static bool at_least(StoredFloat a, StoredFloat b) {
    return FloatNumbers::at_least(a.value, b.value);
  }
  static std::uint32_t flushed(StoredFloat a) {
    const std::uint32_t exponent = a.dtype == Dtype::kFp32   ? 0x7f800000U
                                   : a.dtype == Dtype::kBf16 ? 0x7f80U
                                                             : ~0U;
    const std::uint32_t sign = a.dtype == Dtype::kFp32 ? 0x80000000U : 0x8000U;
    return exponent != ~0U && (a.bits & exponent) == 0 ? a.bits & sign : a.bits;
  }
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_NUMBER_ARITHMETIC_H_
