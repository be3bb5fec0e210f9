// 16-bit floats in vectors of fp32: read without loss, written rounded to nearest, halves to even.
// Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_HALF_FLOATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_HALF_FLOATS_INL_H_
#undef TENSORLANE_COMPUTE_HALF_FLOATS_INL_H_
#else
#define TENSORLANE_COMPUTE_HALF_FLOATS_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Ints = hn::RebindToSigned<Floats>;
using Halves = hn::Rebind<std::uint16_t, Floats>;
using V = hn::Vec<Floats>;
using VInt = hn::Vec<Ints>;
using VHalf = hn::Vec<Halves>;

HWY_INLINE VInt bits_of(V x) {
  return hn::BitCast(Ints(), x);
}
HWY_INLINE V float_of(VInt x) {
  return hn::BitCast(Floats(), x);
}
HWY_INLINE VInt number(std::int32_t value) {
  return hn::Set(Ints(), value);
}
HWY_INLINE VInt widened_bits(VHalf half) {
  return hn::PromoteTo(Ints(), half);
}
HWY_INLINE VHalf narrowed_bits(VInt bits) {  // each below 2^16
  return hn::DemoteTo(Halves(), bits);
}
// The upper bits of a magnitude: to nearest, halves to even.
template <int kDropped>
HWY_INLINE VInt rounded(VInt size) {
  const VInt odd = hn::And(hn::ShiftRight<kDropped>(size), number(1));
  return hn::ShiftRight<kDropped>(hn::Add(size, hn::Add(odd, number((1 << (kDropped - 1)) - 1))));
}

// Denormal fp32 is zero of its sign before it is rounded.
HWY_INLINE V without_denormals(V x) {
  const VInt sign = hn::And(bits_of(x), number(std::numeric_limits<std::int32_t>::min()));
  const auto denormal = hn::Lt(hn::Xor(bits_of(x), sign), number(0x00800000));
  return float_of(hn::IfThenElse(denormal, sign, bits_of(x)));
}

constexpr std::int16_t kNan = 0x7fff;  // every NaN that a function makes or passes on [observed]

#undef TL_HAS_HALF_CONVERSIONS
#if (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2) || (HWY_ARCH_ARM_A64 && HWY_TARGET == HWY_NEON)
#define TL_HAS_HALF_CONVERSIONS 1
#else
#define TL_HAS_HALF_CONVERSIONS 0
#endif

struct Fp16 {
  static constexpr std::int16_t kInfinity = 0x7c00, kLeastNormal = 0;  // denormal numbers count
  static constexpr std::int16_t kQuiet = 0x0200;  // widening makes every NaN quiet

  static HWY_INLINE V read(VHalf half) {
#if TL_HAS_HALF_CONVERSIONS
    return hn::PromoteTo(Floats(), hn::BitCast(hn::Rebind<hwy::float16_t, Floats>(), half));
#else
    const VInt bits = widened_bits(half), size = hn::And(bits, number(0x7fff));
    const VInt aligned = hn::ShiftLeft<13>(size);
    const V denormal = hn::Mul(hn::ConvertTo(Floats(), size), hn::Set(Floats(), 0x1p-24F));
    VInt value = hn::Add(aligned, number(112 << 23));
    value = hn::IfThenElse(hn::Lt(size, number(0x400)), bits_of(denormal), value);
    value =
        hn::IfThenElse(hn::Gt(size, number(0x7bff)), hn::Or(aligned, number(0x7f800000)), value);
    value =
        hn::IfThenElse(hn::Gt(size, number(kInfinity)), hn::Or(value, number(0x00400000)), value);
    return float_of(hn::Or(value, hn::ShiftLeft<16>(hn::Xor(bits, size))));
#endif
  }
  static HWY_INLINE VHalf write(V x) {
#if TL_HAS_HALF_CONVERSIONS
    const V nan = float_of(number(0x7fffe000));  // becomes kNan
    const V one_nan = hn::IfThenElse(hn::IsNaN(x), nan, x);
    return hn::BitCast(Halves(), hn::DemoteTo(hn::Rebind<hwy::float16_t, Floats>(), one_nan));
#else
    const VInt bits = bits_of(x), size = hn::And(bits, number(0x7fffffff));
    const VInt normal = hn::Sub(rounded<13>(size), number(112 << 10));
    const V scaled = hn::Mul(float_of(size), hn::Set(Floats(), 0x1p24F));
    VInt half = hn::Min(normal, number(kInfinity));
    half = hn::IfThenElse(hn::Lt(size, number(113 << 23)), hn::NearestInt(scaled), half);
    half = hn::Or(half, hn::And(hn::ShiftRight<16>(bits), number(0x8000)));
    return narrowed_bits(hn::IfThenElse(hn::Gt(size, number(0x7f800000)), number(kNan), half));
#endif
  }
  // What a result between two operations is rounded to; a NaN stays any NaN.
  static HWY_INLINE V nearest(V x) {
#if TL_HAS_HALF_CONVERSIONS
    return hn::PromoteTo(Floats(), hn::DemoteTo(hn::Rebind<hwy::float16_t, Floats>(), x));
#else
    return read(write(x));
#endif
  }
};

struct Bf16 {
  static constexpr std::int16_t kInfinity = 0x7f80, kLeastNormal = 0x0080, kQuiet = 0;

  static HWY_INLINE V read(VHalf half) { return float_of(hn::ShiftLeft<16>(widened_bits(half))); }
  using Bits = hn::RebindToUnsigned<Ints>;

  // The upper 16 bits are the nearest number. What that adds stays below the sign.
  static HWY_INLINE hn::Vec<Bits> rounded_up(V x) {
    const Bits d;
    const auto bits = hn::BitCast(d, x);
    const auto odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(d, 1));
    return hn::Add(bits, hn::Add(odd, hn::Set(d, 0x7fff)));
  }
  static HWY_INLINE VHalf write(V x) {  // not denormal: the environment flushes results
    const Bits d;
    const auto half = hn::ShiftRight<16>(rounded_up(x));
    const auto nan = hn::Set(d, std::uint32_t{kNan});
    return hn::TruncateTo(Halves(), hn::IfThenElse(hn::RebindMask(d, hn::IsNaN(x)), nan, half));
  }
  // NaNs that come of bf16 numbers have no bits below, so they stay NaNs.
  static HWY_INLINE V nearest(V x) {
    return hn::BitCast(Floats(), hn::And(rounded_up(x), hn::Set(Bits(), 0xffff0000U)));
  }
};

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_HALF_FLOATS_INL_H_
