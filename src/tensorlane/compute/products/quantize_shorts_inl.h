// The rules for integers of quantize.h on elements of 16 bits and less, in lanes of 16, for
// quantize_words.cc. Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHORTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHORTS_INL_H_
#undef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHORTS_INL_H_
#else
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHORTS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/compute/products/quantize_integers_inl.h"
#include "tensorlane/compute/products/quantize_rows_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Where QuantKind::kNarrow.
class NarrowIntegers {
 public:
  using D = QuantTag<std::int16_t>;

  HWY_INLINE NarrowIntegers(const QuantForm& form, const QuantNumbers& numbers)
      : multiplier_(hn::Set(D(), static_cast<std::int16_t>(numbers.multiplier))),
        lanes_(form, numbers) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int16_t, kVectors>& block) const {
    block.each([this](hn::Vec<D> x) TL_QUANT_INLINE { return hn::Mul(x, multiplier_); });
    lanes_.scale([&](const auto& f) TL_QUANT_INLINE { block.each(f); });
  }

 private:
  hn::Vec<D> multiplier_;
  ScaledLanes<D, RoomyLanesShift<D>> lanes_;
};

// The same without an offset behind, of sums that leave the type below zero at most.
template <class T>
class NarrowDifferences {
 public:
  using D = QuantTag<std::int16_t>;
  using Shift = RoomyLanesShift<D>;
  using V = hn::Vec<D>;

  HWY_INLINE NarrowDifferences(const QuantForm& form, const QuantNumbers& numbers)
      : multiplier_(hn::Set(D(), static_cast<std::int16_t>(numbers.multiplier))),
        before_(hn::Set(D(), static_cast<std::int16_t>(-numbers.offset * numbers.multiplier))),
        shift_(form, numbers.shift) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int16_t, kVectors>& block) const {
    block.each([this](V x) TL_QUANT_INLINE { return hn::Add(hn::Mul(x, multiplier_), before_); });
    shift_.with([&](const auto& f) TL_QUANT_INLINE { block.each(f); });
    if constexpr (!std::is_signed_v<T>)
      block.each([](V value) TL_QUANT_INLINE { return hn::Max(value, hn::Zero(D())); });
  }

 private:
  V multiplier_, before_;
  Shift shift_;
};

// Where QuantKind::kRaised: products below the least number that stays inside are limited before
// they are shifted, those above the largest become the end.
template <class T>
class RaisedIntegers {
 public:
  using D = QuantTag<std::int16_t>;
  using V = hn::Vec<D>;

  HWY_INLINE RaisedIntegers(const QuantForm&, const QuantNumbers& numbers)
      : left_(std::min(numbers.shift, 15)),
        multiplier_(set(numbers.multiplier)),
        before_(set(-numbers.offset * numbers.multiplier)) {
    const int most = hwy::LimitsMax<T>();
    least_ = set(hwy::LimitsMin<T>() >> numbers.shift);
    most_ = set(std::min<int>(most >> numbers.shift, INT16_MAX));
  }
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int16_t, kVectors>& block) const {
    block.each([this](V x) TL_QUANT_INLINE {
      const V product = hn::Add(hn::Mul(x, multiplier_), before_);
      const V raised = hn::ShiftLeftSame(hn::Max(product, least_), left_);
      return hn::IfThenElse(hn::Gt(product, most_), set(hwy::LimitsMax<T>()), raised);
    });
  }

 private:
  static HWY_INLINE V set(std::int64_t number) {
    return hn::Set(D(), static_cast<std::int16_t>(number));
  }

  int left_;
  V multiplier_, before_;
  V least_, most_;
};

#if HWY_TARGET != HWY_SCALAR
// Products of the lower and of the upper half of each block of 128 bits are a vector of words each:
// of elements less the offset, of which there may be one before.
class ShortProducts {
 public:
  using D = QuantTag<std::int16_t>;
  using V = hn::Vec<D>;

  HWY_INLINE ShortProducts(const QuantForm& form, const QuantNumbers& numbers)
      : source_sign_(hn::Set(D(), taken_off(form.src_type) != 0 ? INT16_MIN : 0)),
        offset_(hn::Set(D(), static_cast<std::int16_t>(offset_before(form, numbers)))) {
    const auto factor = static_cast<std::uint32_t>(numbers.multiplier);
    factors_ = hn::BitCast(
        D(), hn::Set(QuantTag<std::uint32_t>(), (factor & 0xffffU) | (0 - factor) << 16U));
  }
  // What is taken off each source that the lanes hold, with their half of uint16.
  static HWY_INLINE std::int64_t offset_before(const QuantForm& form, const QuantNumbers& numbers) {
    return (form.rule == QuantRule::kIntRequant ? 0 : numbers.offset) - taken_off(form.src_type);
  }
  HWY_INLINE void multiply(V x, QuantInt& low, QuantInt& high) const {
    x = hn::Xor(x, source_sign_);
    low = sums(hn::InterleaveLower(D(), x, offset_));
    high = sums(hn::InterleaveUpper(D(), x, offset_));
  }

 private:
  // x * factor + offset * -factor
  HWY_INLINE QuantInt sums(V pairs) const {
#if HWY_ARCH_X86
    QuantInt unused = hn::Zero(QuantInts());
    return hn::ReorderWidenMulAccumulate(QuantInts(), pairs, factors_, unused, unused);
#else
    const auto low = [](V v) HWY_ATTR {
      return hn::ShiftRight<16>(hn::ShiftLeft<16>(hn::BitCast(QuantInts(), v)));
    };
    const auto high = [](V v) HWY_ATTR { return hn::ShiftRight<16>(hn::BitCast(QuantInts(), v)); };
    return hn::Add(hn::Mul(low(pairs), low(factors_)), hn::Mul(high(pairs), high(factors_)));
#endif
  }

  V source_sign_, offset_;
  V factors_;
};

// Of products that go to uint16, half of its range is taken off, so that they saturate as they
// become elements again.
template <class Shift>
class SplitIntegers {
 public:
  using D = QuantTag<std::int16_t>;
  using V = hn::Vec<D>;

  HWY_INLINE SplitIntegers(const QuantForm& form, const QuantNumbers& numbers)
      : products_(form, numbers),
        result_sign_(hn::Set(D(), form.dst_type == Dtype::kUint16 ? INT16_MIN : 0)),
        shift_(form, numbers.shift) {
    const std::int64_t after = (form.rule == QuantRule::kIntRequant ? numbers.offset : 0) -
                               (form.dst_type == Dtype::kUint16 ? kHalfShort : 0);
    after_ = hn::Set(QuantInts(), static_cast<std::int32_t>(after));
  }
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int16_t, kVectors>& block) const {
    QuantBlock<std::int32_t, 2 * kVectors> words;
    HWY_UNROLL(2)
    for (int v = 0; v < kVectors; ++v)
      products_.multiply(block.lanes[v], words.lanes[2 * v], words.lanes[2 * v + 1]);
    shift_.with([&](const auto& f) TL_QUANT_INLINE { words.each(f); });
    words.each([this](QuantInt value) TL_QUANT_INLINE { return hn::Add(value, after_); });
    HWY_UNROLL(2)
    for (int v = 0; v < kVectors; ++v) {
      const V elements = hn::ReorderDemote2To(D(), words.lanes[2 * v], words.lanes[2 * v + 1]);
      block.lanes[v] = hn::Xor(elements, result_sign_);
    }
  }

 private:
  ShortProducts products_;
  V result_sign_;
  Shift shift_;
  QuantInt after_;
};

// Of a shift to the left, the nearest 16 bits to a product decide: between the least and the most
// that stay inside it is shifted, below and above the results are the ends.
template <class T>
class RaisedProducts {
 public:
  using D = QuantTag<std::int16_t>;
  using V = hn::Vec<D>;

  HWY_INLINE RaisedProducts(const QuantForm& form, const QuantNumbers& numbers)
      : products_(form, numbers),
        left_(numbers.shift),
        after_(set(form.rule == QuantRule::kIntRequant ? numbers.offset : 0)) {
    const RaisedEnds ends({hwy::LimitsMin<T>(), hwy::LimitsMax<T>()},
                          form.rule == QuantRule::kIntRequant ? numbers.offset : 0, left_);
    least_ = set(ends.least);
    most_ = set(ends.most);
  }
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int16_t, kVectors>& block) const {
    block.each([this](V x) TL_QUANT_INLINE {
      QuantInt low, high;
      products_.multiply(x, low, high);
      const V product = hn::ReorderDemote2To(D(), low, high);
      V result = hn::Add(hn::ShiftLeftSame(product, left_), after_);
      result = hn::IfThenElse(hn::Gt(product, most_), set(hwy::LimitsMax<T>()), result);
      return hn::IfThenElse(hn::Lt(product, least_), set(hwy::LimitsMin<T>()), result);
    });
  }

 private:
  static HWY_INLINE V set(std::int64_t number) {
    return hn::Set(D(), static_cast<std::int16_t>(number));
  }

  ShortProducts products_;
  int left_;
  V after_;
  V least_, most_;
};
#endif

#if HWY_TARGET != HWY_SCALAR
template <class T, class S>
void quantize_shorts_from(ChannelRows& channels, QuantKind kind) {
  using Lane = std::int16_t;
  using Shift = RoomyLanesShift<QuantInts>;
  if constexpr (sizeof(S) == 1) {
    if (kind == QuantKind::kNarrow) {
      if (channels.form.rule == QuantRule::kIntDequant)
        return map_channels<NarrowDifferences<T>, T, Lane, S, QuantBlocks<4, kLongBlock, 4>>(
            channels);
      return map_channels<NarrowIntegers, T, Lane, S, QuantBlocks<4, 1, 0>>(channels);
    }
    if (kind == QuantKind::kRaised)
      return map_channels<RaisedIntegers<T>, T, Lane, S, QuantBlocks<4, kLongBlock, 4>>(channels);
  }
  using Blocks = QuantBlocks<2, 1, HWY_TARGET <= HWY_AVX3 ? 2 : 0>;
  if (kind == QuantKind::kRaisedProducts)
    return map_channels<RaisedProducts<T>, T, Lane, S, Blocks>(channels);
  if (kind == QuantKind::kSplitLeft)
    return map_channels<SplitIntegers<typename Shift::Left>, T, Lane, S, Blocks>(channels);
  map_channels<SplitIntegers<typename Shift::Right>, T, Lane, S, Blocks>(channels);
}

template <class T>
void quantize_shorts(ChannelRows& channels, QuantKind kind) {
  switch (channels.form.src_type) {
    case Dtype::kInt8:
      return quantize_shorts_from<T, std::int8_t>(channels, kind);
    case Dtype::kUint8:
      return quantize_shorts_from<T, std::uint8_t>(channels, kind);
    case Dtype::kInt16:
      return quantize_shorts_from<T, std::int16_t>(channels, kind);
    default:
      return quantize_shorts_from<T, std::uint16_t>(channels, kind);
  }
}
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHORTS_INL_H_
