// Shifts of the rules for integers of quantize.h, for quantize_words.cc. Included once per vector
// target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHIFTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHIFTS_INL_H_
#undef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHIFTS_INL_H_
#else
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHIFTS_INL_H_
#endif

#include <algorithm>
#include <cstdint>

#include "hwy/highway.h"
#include "tensorlane/compute/products/quantize_rows_inl.h"
#include "tensorlane/compute/rounding_shift_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// Shifts of lanes of 64 bits, which products may fill, and of lanes that QuantKind::kWords leaves
// room in.
class FullLanesShift {
 public:
  using V = QuantWideInt;
  static constexpr int kLeast = -63;

  HWY_INLINE FullLanesShift(const QuantForm& form, int shift)
      : shift_(shift),
        sign_(hn::Set(QuantWide(), form.packed ? hwy::LimitsMin<std::int64_t>() : 0)),
        threshold_(form.rounding, hn::Set(QuantWide(), mask(shift))) {}
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
  int shift_;
  V sign_;  // the bits that a shift to the left leaves as they are
  RoundingThreshold<QuantWide> threshold_;
};
template <class D>
class RoomyLanesShift {
 public:
  using V = hn::Vec<D>;
  using Lane = hn::TFromD<D>;
  static constexpr int kLeast = 2 - 8 * static_cast<int>(sizeof(Lane));

  HWY_INLINE RoomyLanesShift(const QuantForm& form, int shift)
      : goes_left_(shift >= 0),
        left_(form, std::max(shift, 0)),
        right_(form, std::min(shift, -1)) {}
  template <class Each>
  HWY_INLINE void with(const Each& each) const {
    if (!goes_left_) return right_.with(each);
    left_.with(each);
  }

  // Neither knows of the other, which takes less to set up.
  class Left {
   public:
    // As far as lanes have room: further is beyond all that saturates.
    HWY_INLINE Left(const QuantForm&, int shift)
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
    int shift_;
    V most_;
  };
  class Right {
   public:
    // By what is added before the shift: there is room for it.
    HWY_INLINE Right(const QuantForm& form, int shift) : places_(-shift) {
      const ShiftRounding& rounding = form.shift_rounding;
      const std::int64_t most = (std::int64_t{1} << places_) - 1;
      const std::int64_t negative = rounding.of_negative(most);
      looks_at_last_ = rounding.even != 0;
      looks_at_sign_ = negative != 0;
      base_ = hn::Set(D(), static_cast<Lane>(rounding.base(most)));
      of_negative_ = hn::Set(D(), static_cast<Lane>(negative));
    }
    template <class Each>
    HWY_INLINE void with(const Each& each) const {
      const V one = hn::Set(D(), 1);
      if (looks_at_last_) {
        return each([this, one](V value) TL_QUANT_INLINE {
          return shifted(hn::Add(value, hn::And(hn::ShiftRightSame(value, places_), one)));
        });
      }
      if (looks_at_sign_) {
        return each([this](V value) TL_QUANT_INLINE {
          return shifted(hn::Add(value, hn::And(hn::BroadcastSignBit(value), of_negative_)));
        });
      }
      each([this](V value) TL_QUANT_INLINE { return shifted(value); });
    }

   private:
    HWY_INLINE V shifted(V value) const {
      return hn::ShiftRightSame(hn::Add(value, base_), places_);
    }

    int places_;
    bool looks_at_last_, looks_at_sign_;
    V base_, of_negative_;
  };

 private:
  bool goes_left_;
  Left left_;
  Right right_;
};

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_SHIFTS_INL_H_
