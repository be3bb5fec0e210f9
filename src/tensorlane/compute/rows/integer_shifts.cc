#include "tensorlane/compute/rows/integer_shifts.h"

#include <algorithm>
#include <cstddef>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/shift_rounding.h"
#include "tensorlane/tensor/rounding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/integer_shifts.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/row_loops_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kSigned>
class ShiftedWords {
 public:
  using D = hn::ScalableTag<std::int32_t>;
  using V = hn::Vec<D>;

  HWY_INLINE explicit ShiftedWords(RoundingMode mode) : mode_(mode) {
    const ShiftRounding rounding = shift_rounding(mode);
    has_half_ = rounding.half != 0;
    has_rest_ = rounding.rest != 0;
    has_even_ = rounding.even != 0;
    has_sign_ = kSigned && (rounding.negative_rest | rounding.negative_one) != 0;
    one_ = set(rounding.one);
    negative_rest_ = set(rounding.negative_rest);
    negative_one_ = set(rounding.negative_one);
  }

  HWY_INLINE V operator()(V value, V amount) const {
    const D d;
    const V zero = hn::Zero(d), one = set(1);
    // From 31 to the right to 32 to the left: 6 bits.
    const V place = hn::AndNot(set(63), hn::Add(amount, set(31)));
    if (HWY_UNLIKELY(!hn::AllTrue(d, hn::Eq(place, zero)))) return far(value, amount);
    const V right = hn::Max(hn::Neg(amount), zero);
    const V floor = kSigned ? hn::Shr(value, right) : logical(value, right);
    const V rest = hn::Sub(hn::Shl(one, right), one);
    V up = one_;
    if (has_half_) up = hn::Add(up, hn::Sub(rest, hn::ShiftRight<1>(rest)));
    if (has_rest_) up = hn::Add(up, rest);
    if (has_even_) up = hn::Add(up, hn::And(floor, one));
    if (has_sign_) {
      const V of_sign = hn::Add(hn::And(rest, negative_rest_), negative_one_);
      up = hn::Add(up, hn::And(hn::BroadcastSignBit(value), of_sign));
    }
    const V down = hn::Add(floor, logical(hn::Add(hn::And(value, rest), up), right));
    const V raised = hn::Shl(value, hn::And(amount, set(31)));
    return hn::IfThenElse(hn::Gt(right, zero), down, raised);
  }

 private:
  using Bits = hn::RebindToUnsigned<D>;

  static HWY_INLINE V set(std::int64_t number) {
    return hn::Set(D(), static_cast<std::int32_t>(number));
  }
  static HWY_INLINE V logical(V value, V right) {
    return hn::BitCast(D(), hn::Shr(hn::BitCast(Bits(), value), hn::BitCast(Bits(), right)));
  }
  // Further than the lanes have bits, which nobody does on purpose: one by one.
  HWY_NOINLINE V far(V value, V amount) const {
    constexpr std::size_t kLanes = hn::MaxLanes(D());
    constexpr std::int64_t kFarthest = 64;
    HWY_ALIGN std::int32_t values[kLanes];
    HWY_ALIGN std::int32_t amounts[kLanes];
    hn::Store(value, D(), values);
    hn::Store(amount, D(), amounts);
    for (std::size_t k = 0; k < kLanes; ++k) {
      const std::int64_t whole =
          kSigned ? std::int64_t{values[k]}
                  : static_cast<std::int64_t>(static_cast<std::uint32_t>(values[k]));
      const std::int64_t places =
          amounts[k] > 0 ? left_places(amounts[k]) : std::max<std::int64_t>(amounts[k], -kFarthest);
      values[k] = static_cast<std::int32_t>(rounding_shift(whole, static_cast<int>(places), mode_));
    }
    return hn::Load(D(), values);
  }

  RoundingMode mode_;
  bool has_half_, has_rest_, has_even_, has_sign_;
  V one_, negative_rest_, negative_one_;
};

// The same amount for all. Lanes of T, which has a sign.
template <class T, bool kSigned>
class ShiftedByOne {
 public:
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;

  HWY_INLINE explicit ShiftedByOne(const IntegerShift& shift)
      : left_(shift.left),
        right_(shift.right),
        has_even_(shift.even != 0),
        has_sign_(kSigned && shift.negative != 0),
        rest_(set((std::int64_t{1} << shift.right) - 1)),
        base_(set(shift.base)),
        negative_(set(shift.negative)) {}

  HWY_INLINE V operator()(V value) const {
    if (right_ == 0) return hn::ShiftLeftSame(value, left_);
    const V floor = kSigned ? hn::ShiftRightSame(value, right_) : logical(value);
    V up = base_;
    if (has_even_) up = hn::Add(up, hn::And(floor, set(1)));
    if (has_sign_) up = hn::Add(up, hn::And(hn::BroadcastSignBit(value), negative_));
    return hn::Add(floor, logical(hn::Add(hn::And(value, rest_), up)));
  }

 private:
  static HWY_INLINE V set(std::int64_t number) { return hn::Set(D(), static_cast<T>(number)); }
  HWY_INLINE V logical(V value) const {
    const hn::RebindToUnsigned<D> bits;
    return hn::BitCast(D(), hn::ShiftRightSame(hn::BitCast(bits, value), right_));
  }

  int left_, right_;
  bool has_even_, has_sign_;
  V rest_, base_, negative_;
};

constexpr int kShiftBlock = HWY_TARGET == HWY_AVX2 ? 2 : 1;

template <bool kSigned>
void shift_rows(RoundingMode mode, const Row& frame) {
  const ShiftedWords<kSigned> words(mode);
  map_vectors<hn::ScalableTag<std::int32_t>, 2, kShiftBlock>(
      frame, [&](auto value, auto amount) TL_INLINE_ATTR { return words(value, amount); });
}
template <class T, bool kSigned>
void shift_rows_by_one(const IntegerShift& shift, const Row& frame) {
  const ShiftedByOne<T, kSigned> lanes(shift);
  map_vectors<hn::ScalableTag<T>, 1, kShiftBlock>(
      frame, [&](auto value) TL_INLINE_ATTR { return lanes(value); });
}
template <class T>
void shift_rows_by_one(const IntegerShifts& shifts, const Row& frame) {
  shifts.is_signed ? shift_rows_by_one<T, true>(*shifts.by_one, frame)
                   : shift_rows_by_one<T, false>(*shifts.by_one, frame);
}
void raise_rows(const Row& frame) {
  map_vectors<hn::ScalableTag<std::int32_t>, 2, 1>(
      frame, [](auto value, auto amount) TL_INLINE_ATTR {
        return hn::Shl(value, hn::And(amount, hn::Set(hn::ScalableTag<std::int32_t>(), 31)));
      });
}
void shifts_of_frame(const IntegerShifts& shifts, const Row& frame) {
  if (shifts.by_one) {
    return shifts.bytes == 2 ? shift_rows_by_one<std::int16_t>(shifts, frame)
                             : shift_rows_by_one<std::int32_t>(shifts, frame);
  }
  if (shifts.to_the_left) return raise_rows(frame);
  shifts.is_signed ? shift_rows<true>(shifts.mode, frame) : shift_rows<false>(shifts.mode, frame);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(shifts_of_frame);

void shifts_on_processor(const IntegerShifts& shifts, const Row& frame) {
  HWY_DYNAMIC_DISPATCH(shifts_of_frame)(shifts, frame);
}

}  // namespace
}  // namespace simd

std::optional<IntegerShifts> integer_shifts(const IntegerRule& rule, std::span<const Dtype> sources,
                                            Dtype dst) {
  const std::int64_t bytes = dtype_bytes(dst);
  const auto is_integer_of_dst = [&](Dtype dtype) {
    return !dtype_info(dtype).is_float && dtype_bytes(dtype) == bytes;
  };
  if (rule.saturate || bytes < 2 || !is_integer_of_dst(dst) ||
      !std::ranges::all_of(sources, is_integer_of_dst))
    return {};
  const bool is_signed = dtype_info(sources[0]).is_signed;
  constexpr std::int64_t kWord = 4;
  if (rule.operation == IntegerOperation::kShift && bytes == kWord)
    return IntegerShifts{rule.mode, is_signed, sources[1] == Dtype::kUint32, bytes, {}};
  if (rule.operation != IntegerOperation::kFirst || rule.left >= 8 * bytes ||
      rule.right >= 8 * bytes || (rule.left != 0 && rule.right != 0))
    return {};
  return IntegerShifts{rule.mode, is_signed, false, bytes, integer_shift(rule)};
}

bool run_shifts(const IntegerShifts& shifts, const Row& frame) {
  const auto fits = [&](std::int64_t step) { return step == 0 || step == shifts.bytes; };
  if (frame.dst_step != shifts.bytes || !fits(frame.src_step[0])) return false;
  if (!shifts.by_one && !fits(frame.src_step[1])) return false;
  simd::shifts_on_processor(shifts, frame);
  return true;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
