// Whole numbers of fp32 vectors: by rounding, and the sign. Included once per vector target, as
// Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_WHOLE_NUMBERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_WHOLE_NUMBERS_INL_H_
#undef TENSORLANE_COMPUTE_WHOLE_NUMBERS_INL_H_
#else
#define TENSORLANE_COMPUTE_WHOLE_NUMBERS_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "tensorlane/tensor/rounding.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

// Of numbers that are not denormal, by mode 0 to 4. Zeros keep their sign, NaNs are any NaN.
template <RoundingMode kMode, class V>
HWY_INLINE V whole_of_normal(V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::DFromV<V> d;
  V result = x;
  if constexpr (kMode == RoundingMode::kHalfToEven) result = hn::Round(x);
  if constexpr (kMode == RoundingMode::kTowardsZero) result = hn::Trunc(x);
  if constexpr (kMode == RoundingMode::kDown) result = hn::Floor(x);
  if constexpr (kMode == RoundingMode::kUp) result = hn::Ceil(x);
  if constexpr (kMode == RoundingMode::kHalfAwayFromZero) {
    const V even = hn::Round(x);
    const V half = hn::CopySign(hn::Set(d, 0.5F), x);
    const V away = hn::Add(even, hn::Add(half, half));
    result = hn::IfThenElse(hn::Eq(hn::Sub(x, even), half), away, even);
  }
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
  return result;
#else
  // Processors without an instruction for it lose the sign of a result of -0.
  return hn::CopySign(result, x);
#endif
}

// Of any numbers: denormal ones count, though the environment reads them as zeros. The one up from
// 1e-45 is 1. [observed]
template <RoundingMode kMode, class V>
HWY_INLINE V whole_of_any(V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::DFromV<V> d;
  const hn::RebindToSigned<hn::DFromV<V>> ints;
  const V result = whole_of_normal<kMode>(x);
  if constexpr (kMode == RoundingMode::kUp || kMode == RoundingMode::kDown) {
    // As integers they are the next ones above the zero of their sign.
    constexpr bool kIsUp = kMode == RoundingMode::kUp;
    constexpr std::int32_t kZero = kIsUp ? 0 : std::numeric_limits<std::int32_t>::min();
    const auto bits = hn::BitCast(ints, x);
    const auto denormal = hn::And(hn::Gt(bits, hn::Set(ints, kZero)),
                                  hn::Lt(bits, hn::Set(ints, kZero + 0x00800000)));
    const V one = hn::Set(d, kIsUp ? 1.0F : -1.0F);
    return hn::IfThenElse(hn::RebindMask(d, denormal), one, result);
  }
  return result;
}

// The same, and NaNs become quiet.
template <RoundingMode kMode, class V>
HWY_INLINE V whole_and_quiet(V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::DFromV<V> d;
  const hn::RebindToSigned<hn::DFromV<V>> ints;
  const V quiet = hn::Or(x, hn::BitCast(d, hn::Set(ints, 0x00400000)));
  return hn::IfThenElse(hn::IsNaN(x), quiet, whole_of_any<kMode>(x));
}

// 1, 0 or -1, which is that of a NaN.
template <class V>
HWY_INLINE V sign_of(V x) {
  namespace hn = hwy::HWY_NAMESPACE;
  const hn::DFromV<V> d;
  const V zero = hn::Zero(d);
  const V not_zero = hn::IfThenZeroElse(hn::Eq(x, zero), hn::Set(d, -1.0F));
  return hn::IfThenElse(hn::Gt(x, zero), hn::Set(d, 1.0F), not_zero);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_WHOLE_NUMBERS_INL_H_
