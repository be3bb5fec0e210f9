// Sums and differences of integers in lanes as wide as they are, see integer_sums.h. Included once
// per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_SUM_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_SUM_LANES_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_SUM_LANES_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_SUM_LANES_INL_H_
#endif

#include <cstdint>
#include <limits>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/integer_steps.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Lanes of T, which has a sign. Half a sum is a number without one where sources are.
template <class T, bool kSubtracts, bool kSourceSigned, bool kResultSigned>
class SumLanes {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  HWY_INLINE SumLanes(const IntegerShift& shift, bool saturates)
      : left_(shift.left),
        right_(shift.right),
        saturates_(saturates),
        looks_at_sign_(shift.negative != 0),
        rest_(set((std::int64_t{1} << shift.right) - 1)),
        base_(set(shift.base)),
        even_(set(shift.even)),
        negative_(set(shift.negative)) {}

  HWY_INLINE V operator()(V a, V b) const {
    const V differ = hn::Xor(a, b);
    const V sum = kSubtracts ? hn::Sub(a, b) : hn::Add(a, b);
    const V half = kSubtracts ? hn::Sub(half_of(differ), hn::AndNot(a, b))
                              : hn::Add(half_of(differ), hn::And(a, b));
    if (right_ != 0) return shifted(sum, half);
    return left_ == 0 ? whole(sum, half) : raised(whole(sum, half));
  }

 private:
  using Bits = hn::RebindToUnsigned<D>;
  static constexpr bool kHalfSigned = kSourceSigned || kSubtracts;

  static HWY_INLINE V set(std::int64_t value) { return hn::Set(D(), static_cast<T>(value)); }
  static HWY_INLINE V largest() { return hn::Set(D(), std::numeric_limits<T>::max()); }
  static HWY_INLINE V logical(V v, int right) {
    return hn::BitCast(D(), hn::ShiftRightSame(hn::BitCast(Bits(), v), right));
  }
  static HWY_INLINE V half_of(V bits) {
    if constexpr (kSourceSigned) return hn::ShiftRight<1>(bits);
    return hn::BitCast(D(), hn::ShiftRight<1>(hn::BitCast(Bits(), bits)));
  }

  // Without a shift to the right: a sum is outside where its sign is not that of its half.
  HWY_INLINE V whole(V sum, V half) const {
    if (!saturates_) return sum;
    const V sign = hn::BroadcastSignBit(half);
    if constexpr (kResultSigned) {
      const V outside = kHalfSigned ? hn::Xor(half, sum) : hn::Or(half, sum);
      const V end = kHalfSigned ? hn::Xor(sign, largest()) : largest();
      return hn::IfThenElse(hn::Lt(outside, hn::Zero(D())), end, sum);
    }
    return kHalfSigned ? hn::AndNot(sign, sum) : hn::Or(sign, sum);
  }
  // To the left, where nothing is shifted out that another number than the nearest end would need.
  HWY_INLINE V raised(V value) const {
    const V up = hn::ShiftLeftSame(value, left_);
    if (!saturates_) return up;
    const V down = kResultSigned ? hn::ShiftRightSame(up, left_) : logical(up, left_);
    const V end = kResultSigned ? hn::Xor(hn::BroadcastSignBit(value), largest()) : set(-1);
    return hn::IfThenElse(hn::Eq(down, value), up, end);
  }
  // Of the floor and whether rounding adds one.
  HWY_INLINE V shifted(V sum, V half) const {
    const V floor = kHalfSigned ? hn::ShiftRightSame(half, right_ - 1) : logical(half, right_ - 1);
    V up = hn::Add(base_, hn::And(floor, even_));
    if (kHalfSigned && looks_at_sign_)
      up = hn::Add(up, hn::And(hn::BroadcastSignBit(half), negative_));
    const V one = logical(hn::Add(hn::And(sum, rest_), up), right_);
    if (!saturates_) return hn::Add(floor, one);
    if constexpr (!kHalfSigned && kResultSigned) {
      const auto most = hn::BitCast(Bits(), hn::Sub(largest(), one));
      return hn::Add(hn::BitCast(D(), hn::Min(hn::BitCast(Bits(), floor), most)), one);
    }
    if constexpr (kHalfSigned && !kResultSigned) return hn::Add(hn::Max(floor, hn::Neg(one)), one);
    if constexpr (kHalfSigned && kSubtracts)
      return hn::Add(hn::Min(floor, hn::Sub(largest(), one)), one);
    return hn::Add(floor, one);
  }

  int left_, right_;
  bool saturates_, looks_at_sign_;
  V rest_, base_, even_, negative_;
};

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_SUM_LANES_INL_H_
