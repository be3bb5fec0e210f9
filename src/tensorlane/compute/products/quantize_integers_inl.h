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

#include "hwy/highway.h"
#include "tensorlane/compute/products/quantize_rows_inl.h"
#include "tensorlane/compute/products/quantize_shifts_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// saturate(shift(product + before) + after) in lanes of 16 to 64 bits, which gives both rules for
// integers.
template <class D, class Shift>
class ScaledLanes {
 public:
  using Lane = hn::TFromD<D>;
  using V = hn::Vec<D>;

  HWY_INLINE ScaledLanes(const QuantForm& form, const QuantNumbers& numbers)
      : shift_(form, std::max(numbers.shift, Shift::kLeast)),
        before_(hn::Zero(D())),
        after_(hn::Zero(D())) {
    const IntegerRange range = integer_range(form.dst_type);
    const bool requantises = form.rule == QuantRule::kIntRequant;
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

  Shift shift_;
  V before_, after_, low_, high_;
};

// Where QuantKind::kWords.
class ShortIntegers {
 public:
  HWY_INLINE ShortIntegers(const QuantForm& form, const QuantNumbers& numbers)
      : multiplier_(hn::Set(QuantInts(), numbers.multiplier)), lanes_(form, numbers) {}
  template <int kVectors>
  HWY_INLINE void operator()(QuantBlock<std::int32_t, kVectors>& block) const {
    block.each([this](QuantInt x) TL_QUANT_INLINE { return hn::Mul(x, multiplier_); });
    lanes_.scale([&](const auto& f) TL_QUANT_INLINE { block.each(f); });
  }

 private:
  QuantInt multiplier_;
  ScaledLanes<QuantInts, RoomyLanesShift<QuantInts>> lanes_;
};

// Lanes of 64 bits, which products may fill.
class LongIntegers {
 public:
  HWY_INLINE LongIntegers(const QuantForm& form, const QuantNumbers& numbers)
      : multiplier_(hn::Set(QuantInts(), numbers.multiplier)), lanes_(form, numbers) {}

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
  QuantInt multiplier_;
  ScaledLanes<QuantWide, FullLanesShift> lanes_;
};

#if HWY_TARGET == HWY_SSE4 || HWY_TARGET <= HWY_AVX2
// Products that become words again, shifted to the right: the upper halves of the lanes show which
// of the lower ones are the result. Some processors neither shift lanes of 64 bits with their sign
// nor compare them to the least and the most; on others this takes fewer steps.
class LongWords {
 public:
  HWY_INLINE LongWords(const QuantForm& form, const QuantNumbers& numbers)
      : right_(-numbers.shift), multiplier_(hn::Set(QuantInts(), numbers.multiplier)) {
    const bool has_sign = form.dst_type == Dtype::kInt32;
    sign_ = hn::Set(QuantInts(), has_sign ? -1 : 0);
    most_ = hn::Set(QuantInts(), has_sign ? INT32_MAX : -1);
    const ShiftRounding rounding = right_ == 0 ? ShiftRounding() : shift_rounding(form.rounding);
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
