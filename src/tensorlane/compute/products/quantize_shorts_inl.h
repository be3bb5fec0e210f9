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
#include <cstdlib>
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/compute/products/quantize_integers_inl.h"
#include "tensorlane/compute/products/quantize_rows_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// The source as a number of the lanes: of uint16 less half of its range.
inline constexpr std::int64_t kHalfShort = 1 << 15;
inline std::int64_t taken_off(Dtype src) {
  return src == Dtype::kUint16 ? kHalfShort : 0;
}

// Where lanes of 16 bits hold each factor and what is taken off, and words of 32 each step behind
// the product.
inline bool fits_shorts(const ChannelRows& channels, const QuantNumbers& numbers) {
  const auto is_short = [](std::int64_t number) {
    return number == static_cast<std::int16_t>(number);
  };
  const bool requantises = channels.args.rule == QuantRule::kIntRequant;
  return HWY_TARGET != HWY_SCALAR && channels.src_bytes <= 2 && channels.dst_bytes == 2 &&
         is_short(numbers.multiplier) && is_short(-std::int64_t{numbers.multiplier}) &&
         is_short((requantises ? 0 : numbers.offset) - taken_off(channels.args.src_type)) &&
         fits_words(channels, numbers);
}
// Where they hold each step, with room for rounding or for a shift to the left.
inline bool stays_short(const ChannelRows& channels, const QuantNumbers& numbers) {
  constexpr std::int64_t kMost = 1 << 14;
  if (channels.src_bytes != 1 || numbers.shift < -14) return false;
  if (numbers.offset <= INT16_MIN) return false;  // whose negative they do not hold
  const std::int64_t offset =
      channels.args.rule == QuantRule::kIntDequant ? std::abs(numbers.offset) : 0;
  return (UINT8_MAX + offset) * std::abs(std::int64_t{numbers.multiplier}) < kMost >>
         std::max(numbers.shift, 0);
}
// Where they hold the product, which is shifted to the left and saturates.
inline bool raises_short(const ChannelRows& channels, const QuantNumbers& numbers) {
  if (channels.src_bytes != 1 || numbers.shift <= 0) return false;
  return channels.args.rule == QuantRule::kIntDequant &&
         (UINT8_MAX + std::abs(numbers.offset)) * std::abs(std::int64_t{numbers.multiplier}) <=
             INT16_MAX;
}

class NarrowIntegers {
 public:
  using D = QuantTag<std::int16_t>;

  HWY_INLINE NarrowIntegers(const QuantArgs& args, const QuantNumbers& numbers)
      : multiplier_(hn::Set(D(), static_cast<std::int16_t>(numbers.multiplier))),
        lanes_(args, numbers) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int16_t, kVectors>& block) const {
    block.each([this](hn::Vec<D> x) TL_QUANT_INLINE { return hn::Mul(x, multiplier_); });
    lanes_.scale([&](const auto& f) TL_QUANT_INLINE { block.each(f); });
  }

 private:
  const hn::Vec<D> multiplier_;
  const ScaledLanes<D, RoomyLanesShift<D>> lanes_;
};

// The same without an offset behind, of sums that leave the type below zero at most.
template <class T>
class NarrowDifferences {
 public:
  using D = QuantTag<std::int16_t>;
  using Shift = RoomyLanesShift<D>;
  using V = hn::Vec<D>;

  HWY_INLINE NarrowDifferences(const QuantArgs& args, const QuantNumbers& numbers)
      : multiplier_(hn::Set(D(), static_cast<std::int16_t>(numbers.multiplier))),
        before_(hn::Set(D(), static_cast<std::int16_t>(-numbers.offset * numbers.multiplier))),
        shift_(args.rounding, numbers.shift, args.packed) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int16_t, kVectors>& block) const {
    block.each([this](V x) TL_QUANT_INLINE { return hn::Add(hn::Mul(x, multiplier_), before_); });
    shift_.with([&](const auto& f) TL_QUANT_INLINE { block.each(f); });
    if constexpr (!std::is_signed_v<T>)
      block.each([](V value) TL_QUANT_INLINE { return hn::Max(value, hn::Zero(D())); });
  }

 private:
  const V multiplier_, before_;
  const Shift shift_;
};

// Where raises_short: products below the least number that stays inside are limited before they are
// shifted, those above the largest become the end.
template <class T>
class RaisedIntegers {
 public:
  using D = QuantTag<std::int16_t>;
  using V = hn::Vec<D>;

  explicit HWY_INLINE RaisedIntegers(const QuantNumbers& numbers)
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

  const int left_;
  const V multiplier_, before_;
  V least_, most_;
};

#if HWY_TARGET != HWY_SCALAR
// Products of the lower and of the upper half of each block of 128 bits are a vector of words each:
// of elements less the offset, of which there may be one before.
class ShortProducts {
 public:
  using D = QuantTag<std::int16_t>;
  using V = hn::Vec<D>;

  HWY_INLINE ShortProducts(const QuantArgs& args, const QuantNumbers& numbers)
      : source_sign_(hn::Set(D(), taken_off(args.src_type) != 0 ? INT16_MIN : 0)),
        offset_(hn::Set(D(), static_cast<std::int16_t>(offset_before(args, numbers)))) {
    const auto factor = static_cast<std::uint32_t>(numbers.multiplier);
    factors_ = hn::BitCast(
        D(), hn::Set(QuantTag<std::uint32_t>(), (factor & 0xffffU) | (0 - factor) << 16U));
  }
  // What is taken off each source that the lanes hold, with their half of uint16.
  static HWY_INLINE std::int64_t offset_before(const QuantArgs& args, const QuantNumbers& numbers) {
    return (args.rule == QuantRule::kIntRequant ? 0 : numbers.offset) - taken_off(args.src_type);
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

  const V source_sign_, offset_;
  V factors_;
};

// Of products that go to uint16, half of its range is taken off, so that they saturate as they
// become elements again.
template <class Shift>
class SplitIntegers {
 public:
  using D = QuantTag<std::int16_t>;
  using V = hn::Vec<D>;

  HWY_INLINE SplitIntegers(const QuantArgs& args, const QuantNumbers& numbers, const Shift& shift)
      : products_(args, numbers),
        result_sign_(hn::Set(D(), args.dst_type == Dtype::kUint16 ? INT16_MIN : 0)),
        shift_(shift) {
    const std::int64_t after = (args.rule == QuantRule::kIntRequant ? numbers.offset : 0) -
                               (args.dst_type == Dtype::kUint16 ? kHalfShort : 0);
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
  const ShortProducts products_;
  const V result_sign_;
  const Shift shift_;
  QuantInt after_;
};

// Of a shift to the left, the nearest 16 bits to a product decide: between the least and the most
// that stay inside it is shifted, below and above the results are the ends.
template <class T>
class RaisedProducts {
 public:
  static constexpr int kMostLeft = 15;  // in lanes of 16 bits
  using D = QuantTag<std::int16_t>;
  using V = hn::Vec<D>;

  struct Ends {
    std::int32_t least, most;

    HWY_INLINE Ends(const QuantArgs& args, const QuantNumbers& numbers) {
      const auto after = args.rule == QuantRule::kIntRequant ? static_cast<int>(numbers.offset) : 0;
      least = -((after - hwy::LimitsMin<T>()) >> numbers.shift);
      most = (hwy::LimitsMax<T>() - after) >> numbers.shift;
    }
    // Whether products beyond 16 bits are beyond these.
    bool are_short() const { return least > INT16_MIN && most < INT16_MAX; }
  };

  HWY_INLINE RaisedProducts(const QuantArgs& args, const QuantNumbers& numbers, const Ends& ends)
      : products_(args, numbers),
        left_(numbers.shift),
        least_(set(ends.least)),
        most_(set(ends.most)),
        after_(set(args.rule == QuantRule::kIntRequant ? numbers.offset : 0)) {}
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

  const ShortProducts products_;
  const int left_;
  const V least_, most_, after_;
};
#endif

#if HWY_TARGET != HWY_SCALAR
template <class T, class S>
void quantize_shorts_from(const ChannelRows& channels, const QuantNumbers& numbers) {
  if constexpr (sizeof(S) == 1) {
    if (stays_short(channels, numbers)) {
      if (channels.args.rule == QuantRule::kIntDequant)
        return map_channel<T, std::int16_t, 4, kLongBlock, S>(
            channels, NarrowDifferences<T>(channels.args, numbers));
      return map_channel<T, std::int16_t, 4, 1, S>(channels,
                                                   NarrowIntegers(channels.args, numbers));
    }
    if (raises_short(channels, numbers))
      return map_channel<T, std::int16_t, 4, kLongBlock, S>(channels, RaisedIntegers<T>(numbers));
  }
  using Shift = RoomyLanesShift<QuantInts>;
  const QuantArgs& args = channels.args;
  if (numbers.shift > 0 && numbers.shift <= RaisedProducts<T>::kMostLeft) {
    using Raised = RaisedProducts<T>;
    const typename Raised::Ends ends(args, numbers);
    if (ends.are_short())
      return map_channel<T, std::int16_t, 2, 1, S>(channels, Raised(args, numbers, ends));
  }
  if (numbers.shift >= 0) {
    const typename Shift::Left left(numbers.shift);
    return map_channel<T, std::int16_t, 2, 1, S>(channels, SplitIntegers(args, numbers, left));
  }
  const typename Shift::Right right(args.rounding, numbers.shift);
  map_channel<T, std::int16_t, 2, 1, S>(channels, SplitIntegers(args, numbers, right));
}
#endif

// False where the lanes do not hold a call's numbers, or its rows are shorter than a vector that
// ends with them.
template <class T>
bool quantize_shorts([[maybe_unused]] const ChannelRows& channels,
                     [[maybe_unused]] const QuantNumbers& numbers) {
#if HWY_TARGET != HWY_SCALAR
  const bool too_short = kRepeatsQuantEnds && channels.rows.length < kQuantLanes<std::int16_t>;
  if (too_short || !fits_shorts(channels, numbers)) return false;
  switch (channels.args.src_type) {
    case Dtype::kInt8:
      quantize_shorts_from<T, std::int8_t>(channels, numbers);
      return true;
    case Dtype::kUint8:
      quantize_shorts_from<T, std::uint8_t>(channels, numbers);
      return true;
    case Dtype::kInt16:
      quantize_shorts_from<T, std::int16_t>(channels, numbers);
      return true;
    default:
      quantize_shorts_from<T, std::uint16_t>(channels, numbers);
      return true;
  }
#else
  return false;
#endif
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHORTS_INL_H_
