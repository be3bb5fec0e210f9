// The rules for fp32 of quantize.h in vectors, for quantize_words.cc. Included once per vector
// target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_FLOATS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_FLOATS_INL_H_
#undef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_FLOATS_INL_H_
#else
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_FLOATS_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"
#include "tensorlane/compute/products/quantize_rows_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// x rounded to an integer, where its size is below 2^22: then adding 1.5 * 2^23 leaves the integer
// in the low bits, rounded to nearest even if it was none.
template <RoundingMode kMode>
HWY_INLINE QuantInt rounded_to_words(hn::Vec<QuantFloats> x) {
  const QuantFloats d;
  if constexpr (kMode == RoundingMode::kDown) x = hn::Floor(x);
  if constexpr (kMode == RoundingMode::kUp) x = hn::Ceil(x);
  if constexpr (kMode == RoundingMode::kTowardsZero) x = hn::Trunc(x);
  if constexpr (kMode == RoundingMode::kHalfAwayFromZero) {
    constexpr float kBelowHalf =
        0x1.fffffep-2F;  // with a half, what lies just below it would reach 1
    x = hn::Trunc(hn::Add(x, hn::CopySign(hn::Set(d, kBelowHalf), x)));
  }
  const auto magic = hn::Set(d, 0x1.8p23F);
  return hn::Sub(hn::BitCast(QuantInts(), hn::Add(x, magic)), hn::BitCast(QuantInts(), magic));
}

// saturate(round(x * scale + offset)); the types are those whose ends fp32 holds.
template <class T>
class ScaledFloats {
 public:
  using V = hn::Vec<QuantFloats>;

  HWY_INLINE ScaledFloats(const QuantForm&, const QuantNumbers& numbers)
      : scale_(hn::Set(QuantFloats(), numbers.scale)),
        offset_(hn::Set(QuantFloats(), numbers.float_offset)) {}
  HWY_INLINE V value(QuantInt x) const {
    return hn::Add(hn::Mul(hn::ConvertTo(QuantFloats(), x), scale_), offset_);
  }
  HWY_INLINE V kept(V value) const {
    const QuantFloats d;
    return hn::Min(hn::Max(value, hn::Set(d, static_cast<float>(hwy::LimitsMin<T>()))),
                   hn::Set(d, static_cast<float>(hwy::LimitsMax<T>())));
  }

 private:
  V scale_, offset_;
};
// Where no value is a NaN.
template <class T, RoundingMode kMode>
class FiniteFloats {
 public:
  HWY_INLINE FiniteFloats(const QuantForm& form, const QuantNumbers& numbers)
      : scaled_(form, numbers) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int32_t, kVectors>& block) const {
    block.each([this](QuantInt x) TL_QUANT_INLINE {
      return rounded_to_words<kMode>(scaled_.kept(scaled_.value(x)));
    });
  }

 private:
  ScaledFloats<T> scaled_;
};
// Numbers that are none are rare: the mode is looked up in each block.
template <class T>
class AnyFloats {
 public:
  HWY_INLINE AnyFloats(const QuantForm& form, const QuantNumbers& numbers)
      : rounding_(form.rounding), scaled_(form, numbers) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int32_t, kVectors>& block) const {
    switch (rounding_) {
      case RoundingMode::kHalfToEven:
        return rounded<RoundingMode::kHalfToEven>(block);
      case RoundingMode::kHalfAwayFromZero:
        return rounded<RoundingMode::kHalfAwayFromZero>(block);
      case RoundingMode::kTowardsZero:
        return rounded<RoundingMode::kTowardsZero>(block);
      case RoundingMode::kDown:
        return rounded<RoundingMode::kDown>(block);
      default:
        return rounded<RoundingMode::kUp>(block);
    }
  }

 private:
  template <RoundingMode kMode, class Block>
  HWY_INLINE void rounded(Block& block) const {
    block.each([this](QuantInt x) TL_QUANT_INLINE {
      const auto value = scaled_.value(x);
      const auto zero = hn::Zero(QuantFloats());
      return rounded_to_words<kMode>(hn::IfThenElse(hn::IsNaN(value), zero, scaled_.kept(value)));
    });
  }

  RoundingMode rounding_;
  ScaledFloats<T> scaled_;
};

template <class T, RoundingMode kMode>
void requantize_finite_floats(ChannelRows& channels) {
  // Narrower vectors are more in most rows; the other modes are rare.
  constexpr int kShort = HWY_TARGET <= HWY_AVX3 && kMode == RoundingMode::kHalfToEven ? 4 : 0;
  map_channels<FiniteFloats<T, kMode>, T, std::int32_t, void, QuantBlocks<4, kLongBlock, kShort>>(
      channels);
}
template <class T>
void requantize_floats(ChannelRows& channels, QuantKind kind) {
  if (kind == QuantKind::kAnyFloats)
    return map_channels<AnyFloats<T>, T, std::int32_t, void, QuantBlocks<1, 1, 0>>(channels);
  switch (channels.form.rounding) {
    case RoundingMode::kHalfToEven:
      return requantize_finite_floats<T, RoundingMode::kHalfToEven>(channels);
    case RoundingMode::kHalfAwayFromZero:
      return requantize_finite_floats<T, RoundingMode::kHalfAwayFromZero>(channels);
    case RoundingMode::kTowardsZero:
      return requantize_finite_floats<T, RoundingMode::kTowardsZero>(channels);
    case RoundingMode::kDown:
      return requantize_finite_floats<T, RoundingMode::kDown>(channels);
    default:
      return requantize_finite_floats<T, RoundingMode::kUp>(channels);
  }
}

// A difference of up to 33 bits, exact in fp64, rounded once to fp32.
template <class Ints>
HWY_INLINE auto wide_difference(Ints x, std::int64_t offset) {
  const hn::Rebind<double, hn::DFromV<Ints>> wide;
  const hn::Rebind<float, hn::DFromV<Ints>> floats;
  const auto difference =
      hn::Sub(hn::PromoteTo(wide, x), hn::Set(wide, static_cast<double>(offset)));
  return hn::DemoteTo(floats, difference);
}
HWY_INLINE hn::Vec<QuantFloats> wide_differences(QuantInt x, std::int64_t offset) {
#if HWY_TARGET == HWY_SCALAR
  return wide_difference(x, offset);
#else
  const hn::Half<QuantInts> half;
  return hn::Combine(QuantFloats(), wide_difference(hn::UpperHalf(half, x), offset),
                     wide_difference(hn::LowerHalf(half, x), offset));
#endif
}

// (x - offset) * scale
class ShortDifferences {
 public:
  HWY_INLINE ShortDifferences(const QuantForm&, const QuantNumbers& numbers)
      : scale_(hn::Set(QuantFloats(), numbers.scale)),
        offset_(hn::Set(QuantInts(), static_cast<std::int32_t>(numbers.offset))) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int32_t, kVectors>& block) const {
    block.each([this](QuantInt x) TL_QUANT_INLINE {
      const auto difference = hn::ConvertTo(QuantFloats(), hn::Sub(x, offset_));
      return hn::BitCast(QuantInts(), hn::Mul(difference, scale_));
    });
  }

 private:
  hn::Vec<QuantFloats> scale_;
  QuantInt offset_;
};

// Differences that words may not hold: those that they hold, as nearly all are, are rounded as they
// become floats.
template <bool kNear>
class WideDifferences {
 public:
  HWY_INLINE WideDifferences(const QuantForm&, const QuantNumbers& numbers)
      : wide_offset_(numbers.offset),
        scale_(hn::Set(QuantFloats(), numbers.scale)),
        offset_(hn::Set(QuantInts(), static_cast<std::int32_t>(numbers.offset))) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int32_t, kVectors>& block) const {
    block.each([this](QuantInt x) TL_QUANT_INLINE {
      return hn::BitCast(QuantInts(), hn::Mul(difference(x), scale_));
    });
  }

 private:
  HWY_INLINE hn::Vec<QuantFloats> difference(QuantInt x) const {
    if constexpr (kNear) {
      const QuantInts d;
      const QuantInt near = hn::Sub(x, offset_);
      const QuantInt outside = hn::And(hn::Xor(x, offset_), hn::Xor(x, near));
      if (HWY_LIKELY(hn::AllFalse(d, hn::Lt(outside, hn::Zero(d)))))
        return hn::ConvertTo(QuantFloats(), near);
    }
    return wide_differences(x, wide_offset_);
  }

  std::int64_t wide_offset_;
  hn::Vec<QuantFloats> scale_;
  QuantInt offset_;
};

template <class F, class S, int kLong = 1>
void dequantize_floats_from(ChannelRows& channels) {
  map_channels<F, std::int32_t, std::int32_t, S, QuantBlocks<4, kLong, 0>>(channels);
}
inline void dequantize_floats(ChannelRows& channels, QuantKind kind) {
  if (kind == QuantKind::kNearDifferences)
    return dequantize_floats_from<WideDifferences<true>, std::int32_t, 2>(channels);
  if (kind == QuantKind::kWideDifferences)
    return dequantize_floats_from<WideDifferences<false>, void>(channels);
  switch (channels.form.src_type) {
    case Dtype::kInt8:
      return dequantize_floats_from<ShortDifferences, std::int8_t>(channels);
    case Dtype::kUint8:
      return dequantize_floats_from<ShortDifferences, std::uint8_t>(channels);
    case Dtype::kInt16:
      return dequantize_floats_from<ShortDifferences, std::int16_t>(channels);
    case Dtype::kUint16:
      return dequantize_floats_from<ShortDifferences, std::uint16_t>(channels);
    default:
      return dequantize_floats_from<ShortDifferences, std::int32_t>(channels);
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_FLOATS_INL_H_
