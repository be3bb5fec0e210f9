// The rules for integers of quantize.h in the shortest lanes that hold a channel's numbers, for
// quantize_words.cc. Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_INTEGERS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_INTEGERS_INL_H_
#undef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_INTEGERS_INL_H_
#else
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_INTEGERS_INL_H_
#endif

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "hwy/highway.h"
#include "tensorlane/compute/products/quantize_rows_inl.h"
#include "tensorlane/compute/rounding_shift_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Whether products, shifted left where they are, and sums fit 32 bits with room for the offset and
// for rounding.
inline constexpr std::int64_t kMostOfWords = std::int64_t{1} << 30;
inline bool fits_words(const ChannelRows& channels, const QuantNumbers& numbers) {
  constexpr std::int64_t kMost = kMostOfWords;
  if (channels.src_bytes == 4 || numbers.shift > 30 || numbers.shift < -30) return false;
  const std::int64_t multiplier = std::abs(std::int64_t{numbers.multiplier});
  const std::int64_t offset = std::abs(numbers.offset);
  if (multiplier > kMost || offset > kMost) return false;
  const std::int64_t most = (channels.source_most + offset) * multiplier;
  // What elements of 16 bits hold is limited before it is shifted, see RoomyLanesShift.
  const bool limits = channels.dst_bytes <= 2 && offset <= UINT16_MAX;
  const int left = limits ? 0 : std::max(numbers.shift, 0);
  return most < kMost >> left;
}

// Shifts of lanes of 64 bits, which products may fill, and of lanes that fits_words left room in.
class FullLanesShift {
 public:
  using V = QuantWideInt;
  static constexpr int kLeast = -63;

  HWY_INLINE FullLanesShift(RoundingMode mode, int shift, bool sign_stays)
      : shift_(shift),
        sign_(hn::Set(QuantWide(), sign_stays ? hwy::LimitsMin<std::int64_t>() : 0)),
        threshold_(mode, hn::Set(QuantWide(), mask(shift))) {}
  // Calls each(f) with what shifts one vector.
  template <class Each>
  HWY_INLINE void with(const Each& each) const {
    if (shift_ == 0) return;
    if (shift_ < 0)
      return each([this](V value) TL_QUANT_INLINE {
        return threshold_.round(value, hn::ShiftRightSame(value, -shift_));
      });
    each([this](V value) TL_QUANT_INLINE {
      return hn::Or(hn::AndNot(sign_, hn::ShiftLeftSame(value, shift_)), hn::And(sign_, value));
    });
  }

 private:
  static std::int64_t mask(int shift) {
    return shift >= 0 ? 0 : static_cast<std::int64_t>((std::uint64_t{1} << -shift) - 1);
  }
  const int shift_;
  const V sign_;  // the bits that a shift to the left leaves as they are
  const RoundingThreshold<QuantWide> threshold_;
};
template <class D>
class RoomyLanesShift {
 public:
  using V = hn::Vec<D>;
  using Lane = hn::TFromD<D>;
  static constexpr int kLeast = 2 - 8 * static_cast<int>(sizeof(Lane));

  HWY_INLINE RoomyLanesShift(RoundingMode mode, int shift, bool sign_stays)
      : goes_left_(shift >= 0), left_(std::max(shift, 0)), right_(mode, std::min(shift, -1)) {
    static_cast<void>(sign_stays);
  }
  template <class Each>
  HWY_INLINE void with(const Each& each) const {
    if (!goes_left_) return right_.with(each);
    left_.with(each);
  }

  // Neither knows of the other, which takes less to set up.
  class Left {
   public:
    // As far as lanes have room: further is beyond all that saturates.
    explicit HWY_INLINE Left(int shift)
        : shift_(shift), most_(hn::Set(D(), static_cast<Lane>(kMostOfWords >> shift))) {}
    template <class Each>
    HWY_INLINE void with(const Each& each) const {
      if (shift_ == 0) return;
      if constexpr (sizeof(Lane) == 4) {
        const V least = hn::Neg(most_);
        each([this, least](V value)
                 TL_QUANT_INLINE { return hn::Min(hn::Max(value, least), most_); });
      }
      each([this](V value) TL_QUANT_INLINE { return hn::ShiftLeftSame(value, shift_); });
    }

   private:
    const int shift_;
    const V most_;
  };
  class Right {
   public:
    HWY_INLINE Right(RoundingMode mode, int shift) : offset_(mode, -shift) {}
    template <class Each>
    HWY_INLINE void with(const Each& each) const {
      each([this](V value) TL_QUANT_INLINE { return offset_.round(value); });
    }

   private:
    const RoundingOffset<D> offset_;
  };

 private:
  const bool goes_left_;
  const Left left_;
  const Right right_;
};

// saturate(shift(product + before) + after) in lanes of 16 to 64 bits, which gives both rules for
// integers.
template <class D, class Shift>
class ScaledLanes {
 public:
  using Lane = hn::TFromD<D>;
  using V = hn::Vec<D>;

  HWY_INLINE ScaledLanes(const QuantArgs& args, const QuantNumbers& numbers)
      : shift_(args.rounding, std::max(numbers.shift, Shift::kLeast), args.packed),
        before_(hn::Zero(D())),
        after_(hn::Zero(D())) {
    const IntegerRange range = integer_range(args.dst_type);
    const bool requantises = args.rule == QuantRule::kIntRequant;
    const std::int64_t after = requantises ? numbers.offset : 0;
    // The sum's ends less the offset: no sum leaves the lanes.
    low_ = hn::Set(D(), within(range.min - after));
    high_ = hn::Set(D(), within(range.max - after));
    after_ = hn::Set(D(), static_cast<Lane>(after));
    if (!requantises) {
      const auto offset = static_cast<std::uint64_t>(numbers.offset);
      const auto multiplier = static_cast<std::uint64_t>(numbers.multiplier);
      before_ = hn::Set(D(), static_cast<Lane>(0 - offset * multiplier));
    }
  }

  // each(f) has f change each of some products.
  template <class Each>
  HWY_INLINE void scale(const Each& each) const {
    each([this](V product) TL_QUANT_INLINE { return hn::Add(product, before_); });
    shift_.with(each);
    each([this](V value)
             TL_QUANT_INLINE { return hn::Add(hn::Min(hn::Max(value, low_), high_), after_); });
  }

 private:
  static Lane within(std::int64_t end) {
    return static_cast<Lane>(
        std::clamp<std::int64_t>(end, hwy::LimitsMin<Lane>(), hwy::LimitsMax<Lane>()));
  }

  const Shift shift_;
  V before_, after_, low_, high_;
};

// Where fits_words.
class ShortIntegers {
 public:
  HWY_INLINE ShortIntegers(const QuantArgs& args, const QuantNumbers& numbers)
      : multiplier_(hn::Set(QuantInts(), numbers.multiplier)), lanes_(args, numbers) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int32_t, kVectors>& block) const {
    block.each([this](QuantInt x) TL_QUANT_INLINE { return hn::Mul(x, multiplier_); });
    lanes_.scale([&](const auto& f) TL_QUANT_INLINE { block.each(f); });
  }

 private:
  const QuantInt multiplier_;
  const ScaledLanes<QuantInts, RoomyLanesShift<QuantInts>> lanes_;
};

// Lanes of 64 bits, which products may fill.
class LongIntegers {
 public:
  HWY_INLINE LongIntegers(const QuantArgs& args, const QuantNumbers& numbers)
      : multiplier_(hn::Set(QuantInts(), numbers.multiplier)), lanes_(args, numbers) {}

  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int32_t, kVectors>& block) const {
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) block.lanes[v] = of(block.lanes[v]);
  }
  HWY_INLINE QuantInt of(QuantInt x) const {
#if HWY_TARGET == HWY_SCALAR
    QuantWideInt only = hn::MulEven(x, multiplier_);
    lanes_.scale([&](const auto& f) TL_QUANT_INLINE { only = f(only); });
    return hn::Set(QuantInts(), static_cast<std::int32_t>(hn::GetLane(only)));
#else
    // Every second lane is a number of 64 bits with its neighbour.
    const QuantInts d;
    const hn::RebindToUnsigned<QuantWide> bits;
    const QuantInt neighbours = hn::BitCast(d, hn::ShiftRight<32>(hn::BitCast(bits, x)));
    QuantWideInt even = hn::MulEven(x, multiplier_), odd = hn::MulEven(neighbours, multiplier_);
    lanes_.scale([&](const auto& f) TL_QUANT_INLINE {
      even = f(even);
      odd = f(odd);
    });
    return hn::OddEven(hn::BitCast(d, hn::ShiftLeft<32>(odd)), hn::BitCast(d, even));
#endif
  }

 private:
  const QuantInt multiplier_;
  const ScaledLanes<QuantWide, FullLanesShift> lanes_;
};

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET <= HWY_AVX2
// Products that become words again, shifted to the right: the upper halves of the lanes show which
// of the lower ones are the result. Some processors neither shift lanes of 64 bits with their sign
// nor compare them to the least and the most; on others this takes fewer steps.
class LongWords {
 public:
  static bool takes(const QuantArgs& args, const QuantNumbers& numbers) {
    constexpr int kMostShift = 61;  // what rounding adds has room
    return args.rule == QuantRule::kIntDequant && numbers.shift <= 0 &&
           numbers.shift >= -kMostShift;
  }
  HWY_INLINE LongWords(const QuantArgs& args, const QuantNumbers& numbers)
      : right_(-numbers.shift), multiplier_(hn::Set(QuantInts(), numbers.multiplier)) {
    const bool has_sign = args.dst_type == Dtype::kInt32;
    sign_ = hn::Set(QuantInts(), has_sign ? -1 : 0);
    most_ = hn::Set(QuantInts(), has_sign ? INT32_MAX : -1);
    const ShiftRounding rounding = right_ == 0 ? ShiftRounding() : shift_rounding(args.rounding);
    const std::int64_t most = (std::int64_t{1} << right_) - 1;
    const std::int64_t base = rounding.base(most), negative = rounding.of_negative(most);
    looks_at_last_ = rounding.even != 0;
    looks_at_sign_ = negative != 0;
    before_ = hn::Set(QuantWide(), base - numbers.offset * numbers.multiplier);
    base_ = hn::Set(QuantWide(), base);
    negative_ = hn::Set(QuantWide(), negative);
  }
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int32_t, kVectors>& block) const {
    QuantBlock<std::int64_t, kVectors> even, odd;
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) {
      even.lanes[v] = product(block.lanes[v]);
      odd.lanes[v] = product(hn::BitCast(QuantInts(), upper(block.lanes[v])));
    }
    round(even);
    round(odd);
    HWY_UNROLL(4)
    for (int v = 0; v < kVectors; ++v) block.lanes[v] = narrowed(even.lanes[v], odd.lanes[v]);
  }

 private:
  using Bits = hn::RebindToUnsigned<QuantWide>;

  template <class V>
  static HWY_INLINE QuantWideInt upper(V lanes) {
    return hn::BitCast(QuantWide(), hn::ShiftRight<32>(hn::BitCast(Bits(), lanes)));
  }
  HWY_INLINE QuantWideInt down(QuantWideInt lanes) const {
    return hn::BitCast(QuantWide(), hn::ShiftRightSame(hn::BitCast(Bits(), lanes), right_));
  }
  // The odd words of one vector and the even ones of another.
  static HWY_INLINE QuantInt joined(QuantWideInt odd, QuantWideInt even) {
    return hn::OddEven(hn::BitCast(QuantInts(), odd), hn::BitCast(QuantInts(), even));
  }
  HWY_INLINE QuantWideInt product(QuantInt x) const {
    return hn::Add(hn::MulEven(x, multiplier_), before_);
  }
  // With what rounding adds by the base in it already.
  template <class Block>
  HWY_INLINE void round(Block& block) const {
    if (looks_at_last_) {
      const auto one = hn::Set(QuantWide(), 1);
      return block.each([&](QuantWideInt value) TL_QUANT_INLINE {
        return hn::Add(value, hn::And(down(hn::Sub(value, base_)), one));
      });
    }
    if (!looks_at_sign_) return;
    block.each([&](QuantWideInt value) TL_QUANT_INLINE {
      const QuantWideInt exact = hn::Sub(value, base_);
      return hn::Add(value, hn::And(hn::BroadcastSignBit(exact), negative_));
    });
  }
  HWY_INLINE QuantInt narrowed(QuantWideInt even, QuantWideInt odd) const {
    const QuantInt halves = joined(odd, upper(even)), below = hn::BroadcastSignBit(halves);
    const bool keeps_low = right_ < 32;
    const QuantInt low = keeps_low ? joined(hn::ShiftLeft<32>(down(odd)), down(even))
                                   : hn::ShiftRightSame(halves, right_ - 32);
    const QuantInt high = keeps_low ? hn::ShiftRightSame(halves, right_) : below;
    const QuantInt expected = hn::And(hn::BroadcastSignBit(low), sign_);
    return hn::IfThenElse(hn::Eq(high, expected), low, hn::Xor(below, most_));
  }

  int right_;
  bool looks_at_last_, looks_at_sign_;
  QuantInt multiplier_, sign_, most_;
  QuantWideInt before_, base_, negative_;
};
#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_INTEGERS_INL_H_
