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
    half_ = set(rounding.half);
    rest_ = set(rounding.rest);
    one_ = set(rounding.one);
    even_ = set(rounding.even);
    negative_rest_ = set(rounding.negative_rest);
    negative_one_ = set(rounding.negative_one);
  }

  HWY_INLINE V operator()(V value, V amount) const {
    const D d;
    const V zero = hn::Zero(d), one = set(1);
    const V right = hn::Max(hn::Neg(amount), zero);
    // -2^31 stays negative: it is far.
    const auto is_near = hn::And(hn::Lt(right, set(32)), hn::Gt(amount, set(-32)));
    if (HWY_UNLIKELY(!hn::AllTrue(d, is_near))) return far(value, amount);
    const V floor = kSigned ? hn::Shr(value, right) : logical(value, right);
    const V rest = hn::Sub(hn::Shl(one, right), one);
    const V half = hn::Sub(rest, hn::ShiftRight<1>(rest));
    V up = hn::Add(hn::Add(hn::And(half, half_), hn::And(rest, rest_)), one_);
    up = hn::Add(up, hn::And(floor, even_));
    if constexpr (kSigned) {
      const V of_sign = hn::Add(hn::And(rest, negative_rest_), negative_one_);
      up = hn::Add(up, hn::And(hn::BroadcastSignBit(value), of_sign));
    }
    up = hn::IfThenElseZero(hn::Gt(right, zero), up);
    const V down = hn::Add(floor, logical(hn::Add(hn::And(value, rest), up), right));
    const V raised = hn::Shl(value, hn::And(amount, set(31)));
    return hn::IfThenElse(hn::Gt(amount, zero), raised, down);
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
  V half_, rest_, one_, even_, negative_rest_, negative_one_;
};

template <bool kSigned>
void shift_rows(RoundingMode mode, const Row& frame) {
  const ShiftedWords<kSigned> words(mode);
  map_vectors<hn::ScalableTag<std::int32_t>, 2, 1>(
      frame, [&](auto value, auto amount) TL_INLINE_ATTR { return words(value, amount); });
}
void raise_rows(const Row& frame) {
  map_vectors<hn::ScalableTag<std::int32_t>, 2, 1>(
      frame, [](auto value, auto amount) TL_INLINE_ATTR {
        return hn::Shl(value, hn::And(amount, hn::Set(hn::ScalableTag<std::int32_t>(), 31)));
      });
}
void shifts_of_frame(const IntegerShifts& shifts, const Row& frame) {
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
  if (rule.operation != IntegerOperation::kShift || rule.saturate) return {};
  const auto is_word = [](Dtype dtype) {
    return dtype == Dtype::kInt32 || dtype == Dtype::kUint32;
  };
  if (!is_word(sources[0]) || !is_word(sources[1]) || !is_word(dst)) return {};
  return IntegerShifts{rule.mode, sources[0] == Dtype::kInt32, sources[1] == Dtype::kUint32};
}

bool run_shifts(const IntegerShifts& shifts, const Row& frame) {
  constexpr std::int64_t kWord = 4;
  const auto fits = [](std::int64_t step) { return step == 0 || step == kWord; };
  if (frame.dst_step != kWord || !fits(frame.src_step[0]) || !fits(frame.src_step[1])) return false;
  simd::shifts_on_processor(shifts, frame);
  return true;
}

}  // namespace tensorlane
#endif  // HWY_ONCE
