// Right shifts of integer vectors with rounding, in every mode of tensor/rounding.h. Included once
// per vector target, as Highway's -inl.h files are.
//
// v >> k is the floor; it goes up by one where the bits shifted out are above a threshold, which
// depends on nothing but the mode, whether the floor is odd and whether v is negative. So one loop
// serves all modes, and no sum can leave the lanes.
#if defined(TENSORLANE_COMPUTE_ROUNDING_SHIFT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROUNDING_SHIFT_INL_H_
#undef TENSORLANE_COMPUTE_ROUNDING_SHIFT_INL_H_
#else
#define TENSORLANE_COMPUTE_ROUNDING_SHIFT_INL_H_
#endif

#include "hwy/highway.h"
#include "tensorlane/compute/shift_rounding.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane {
namespace HWY_NAMESPACE {

// Lanes of 32 or 64 bits with sign. `mask` are the bits that are shifted out: 2^k - 1.
template <class D>
class RoundingThreshold {
 public:
  using V = hwy::HWY_NAMESPACE::Vec<D>;

  HWY_INLINE RoundingThreshold(RoundingMode mode, V mask) : mask_(mask) {
    namespace hn = hwy::HWY_NAMESPACE;
    const D d;
    using Lane = hn::TFromD<D>;
    const ShiftRounding rounding = shift_rounding(mode);
    const auto set = [d](std::int64_t value)
                         HWY_ATTR { return hn::Set(d, static_cast<Lane>(value)); };
    const V half = hn::Sub(mask, hn::ShiftRight<1>(mask));
    const V base = hn::Add(hn::And(half, set(rounding.half)), hn::And(mask, set(rounding.rest)));
    first_ = hn::Sub(mask, hn::Add(base, set(rounding.one)));
    of_odd_ = set(rounding.even);
    of_negative_ = hn::Add(hn::And(mask, set(rounding.negative_rest)), set(rounding.negative_one));
  }

  // The rounded quotient of v, whose floor is v >> k.
  HWY_INLINE V round(V v, V floor) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const V negative = hn::And(hn::BroadcastSignBit(v), of_negative_);
    const V threshold = hn::Sub(hn::Sub(first_, hn::And(floor, of_odd_)), negative);
    return up_where_above(v, floor, threshold);
  }
  // The same where the sign does not matter.
  HWY_INLINE V round_by_oddness(V v, V floor) const {
    namespace hn = hwy::HWY_NAMESPACE;
    return up_where_above(v, floor, hn::Sub(first_, hn::And(floor, of_odd_)));
  }
  // The same where neither oddness nor the sign matters.
  HWY_INLINE V round_plainly(V v, V floor) const { return up_where_above(v, floor, first_); }

  static bool is_plain(RoundingMode mode) { return shift_rounding(mode).is_plain(); }

 private:
  HWY_INLINE V up_where_above(V v, V floor, V threshold) const {
    namespace hn = hwy::HWY_NAMESPACE;
    const auto above = hn::Gt(hn::And(v, mask_), threshold);
    return hn::Sub(floor, hn::VecFromMask(D(), above));
  }

  V mask_, first_, of_odd_, of_negative_;
};

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROUNDING_SHIFT_INL_H_
