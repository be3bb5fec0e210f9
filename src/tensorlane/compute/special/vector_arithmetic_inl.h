// The arithmetic of vectors for formulas_inl.h: a vector of values of a type in fp32, each
// operation rounded to it. Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_SPECIAL_VECTOR_ARITHMETIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_SPECIAL_VECTOR_ARITHMETIC_INL_H_
#undef TENSORLANE_COMPUTE_SPECIAL_VECTOR_ARITHMETIC_INL_H_
#else
#define TENSORLANE_COMPUTE_SPECIAL_VECTOR_ARITHMETIC_INL_H_
#endif

#include "hwy/highway.h"
#include "tensorlane/compute/special/formats.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::special::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Vector = hn::Vec<Floats>;
using IntVector = hn::Vec<Ints>;
using Mask = hn::Mask<Floats>;

HWY_INLINE IntVector ints(Vector x) {
  return hn::BitCast(Ints(), x);
}
HWY_INLINE Vector floats(IntVector x) {
  return hn::BitCast(Floats(), x);
}
HWY_INLINE IntVector int_set(std::uint32_t value) {
  return hn::Set(Ints(), static_cast<std::int32_t>(value));
}
HWY_INLINE Mask mask_of(hn::Mask<Ints> mask) {
  return hn::RebindMask(Floats(), mask);
}
HWY_INLINE Vector sign_of(Vector x) {
  return hn::And(x, hn::Set(Floats(), -0.0F));
}

// To the nearest even value with `kDropped` mantissa bits fewer. A NaN keeps its bits where the
// dropped ones are zero, as those of a NaN that came from the narrow type or from an operation are.
template <int kDropped>
HWY_INLINE IntVector shortened(IntVector bits) {
  const IntVector odd = hn::And(hn::ShiftRight<kDropped>(bits), int_set(1));
  const IntVector up = hn::Add(bits, hn::Add(odd, int_set((1U << (kDropped - 1)) - 1)));
  return hn::And(up, int_set(~((1U << kDropped) - 1)));
}
HWY_INLINE Vector rounded_to_fp16(Vector x) {
#if HWY_TARGET <= HWY_AVX2 && HWY_ARCH_X86
  const hn::Rebind<hwy::float16_t, Floats> halves;
  return hn::PromoteTo(Floats(), hn::DemoteTo(halves, x));
#else
  const Vector size = hn::Abs(x);
  const IntVector normal = shortened<13>(ints(size));
  const Vector half = hn::Set(Floats(), 0.5F);  // its unit is that of fp16's denormal numbers
  const Vector tiny = hn::Sub(hn::Add(size, half), half);
  const Vector infinity = floats(int_set(0x7f800000U));
  Vector result =
      hn::IfThenElse(mask_of(hn::Gt(normal, int_set(0x477fffffU))), infinity, floats(normal));
  result = hn::IfThenElse(hn::Lt(size, hn::Set(Floats(), 0x1p-14F)), tiny, result);
  return hn::IfThenElse(hn::IsNaN(x), x, hn::Or(result, sign_of(x)));
#endif
}
HWY_INLINE Vector flushed(Vector x) {
  const IntVector size = ints(hn::Abs(x));
  return hn::IfThenElse(mask_of(hn::Lt(size, int_set(0x00800000U))), sign_of(x), x);
}

template <class FormatOfCall>
struct VectorArithmetic {
  using Format = FormatOfCall;
  using V = Vector;

  static HWY_INLINE Vector set(float value) { return hn::Set(Floats(), value); }
  static HWY_INLINE Vector rounded(Vector x) {
    if constexpr (Format::kFormat == kFp16Format) return rounded_to_fp16(x);
    if constexpr (Format::kFormat == kBf16Format) return flushed(floats(shortened<16>(ints(x))));
    return x;
  }
  static HWY_INLINE Vector read(Vector x) {
    return Format::kFormat == kBf16Format ? flushed(x) : x;
  }
  static HWY_INLINE Vector written(Vector x) {
    return hn::IfThenElse(hn::IsNaN(x), floats(int_set(0xffc00000U)), x);
  }

  static HWY_INLINE Vector add(Vector a, Vector b) { return rounded(hn::Add(a, b)); }
  static HWY_INLINE Vector sub(Vector a, Vector b) { return rounded(hn::Sub(a, b)); }
  static HWY_INLINE Vector mul(Vector a, Vector b) { return rounded(hn::Mul(a, b)); }
  // The same where nothing shows whether a denormal result is zero.
  static HWY_INLINE Vector add_gradually(Vector a, Vector b) {
    if constexpr (Format::kFormat == kBf16Format) return floats(shortened<16>(ints(hn::Add(a, b))));
    return add(a, b);
  }
  static HWY_INLINE Vector mul_gradually(Vector a, Vector b) {
    if constexpr (Format::kFormat == kBf16Format) return floats(shortened<16>(ints(hn::Mul(a, b))));
    return mul(a, b);
  }
  // No zeros are made of denormal products: next to `c` they are nothing, and where c is 0 there
  // are none, x being 0 or at least the last place of 1.
  static HWY_INLINE Vector next_term(Vector sum, Vector x, Vector c) {
    if constexpr (Format::kFormat == kBf16Format) {
      const Vector product = floats(shortened<16>(ints(hn::Mul(sum, x))));
      return floats(shortened<16>(ints(hn::Add(product, c))));
    }
    return add(mul(sum, x), c);
  }
  // Processors without an instruction for it lose the sign of a result of -0.
  static HWY_INLINE Vector floor(Vector x) { return hn::CopySign(hn::Floor(x), x); }
  static HWY_INLINE Vector round_half_even(Vector x) { return hn::CopySign(hn::Round(x), x); }
  static HWY_INLINE Vector round_half_away(Vector x) {
    const Vector even = round_half_even(x);
    const Vector half = hn::Or(set(0.5F), sign_of(x));
    const Vector away = hn::Add(even, hn::Add(half, half));
    return hn::IfThenElse(hn::Eq(hn::Sub(x, even), half), away, even);
  }
  static HWY_INLINE Vector absolute(Vector x) { return hn::Abs(x); }
  static HWY_INLINE Vector flip_sign(Vector x, Vector sign) { return hn::Xor(x, sign_of(sign)); }
  static HWY_INLINE Vector or_sign(Vector x, Vector sign) { return hn::Or(x, sign_of(sign)); }

  static HWY_INLINE Mask greater(Vector a, Vector b) { return hn::Gt(a, b); }
  static HWY_INLINE Mask equal(Vector a, Vector b) { return hn::Eq(a, b); }
  static HWY_INLINE Mask same_bits(Vector a, Vector b) { return mask_of(hn::Eq(ints(a), ints(b))); }
  // Of numbers without sign, a NaN as the largest.
  static HWY_INLINE Mask larger_size(Vector a, Vector b) {
    return mask_of(hn::Gt(ints(a), ints(b)));
  }
  static HWY_INLINE Vector select(Mask condition, Vector yes, Vector no) {
    return hn::IfThenElse(condition, yes, no);
  }

  static HWY_INLINE Vector rsqrt_guess(Vector x) {
    if constexpr (requires { Format::kRsqrtGuess; }) {
      const hn::Rebind<hwy::float16_t, Floats> halves;
      const hn::RebindToSigned<decltype(halves)> words;
      const auto half = hn::ShiftRight<1>(hn::BitCast(words, hn::DemoteTo(halves, x)));
      const auto guess = hn::Sub(hn::Set(words, std::int16_t{Format::kRsqrtGuess}), half);
      return hn::PromoteTo(Floats(), hn::BitCast(halves, guess));
    }
    return floats(hn::Sub(int_set(0x5f3759dfU), hn::ShiftRight<1>(ints(x))));
  }
  static HWY_INLINE Vector power_of_e(Vector k) {
    const IntVector at = hn::Sub(hn::ConvertTo(Ints(), k), hn::Set(Ints(), kLeastPower));
    return hn::GatherIndex(Floats(), powers_of_e(), at);
  }
  static HWY_INLINE Vector power_of_two(Vector k) {
    const IntVector field = hn::Add(hn::ConvertTo(Ints(), k), int_set(127));
    const Vector least = set(static_cast<float>(-Format::kFormat.bias()));
    return hn::IfThenElseZero(hn::Gt(k, least), floats(hn::ShiftLeft<23>(field)));
  }
  static HWY_INLINE Vector exponent_above(Vector x, float threshold) {
    const IntVector above = hn::Sub(ints(x), hn::Add(ints(set(threshold)), int_set(1)));
    return hn::ConvertTo(Floats(), hn::ShiftRight<23>(above));
  }
  static HWY_INLINE Vector power_of_minus_two(Vector e) {
    const Vector bias = set(static_cast<float>(Format::kFormat.bias()));
    return hn::IfThenElse(hn::Gt(e, bias), floats(int_set(0xff800000U)), power_of_two(hn::Neg(e)));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::special::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_SPECIAL_VECTOR_ARITHMETIC_INL_H_
