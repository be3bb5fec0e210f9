// The arithmetic of integer_vectors.h on elements side by side, in lanes that hold every step.
// Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_EXECUTION_INTEGER_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_EXECUTION_INTEGER_LANES_INL_H_
#undef TENSORLANE_EXECUTION_INTEGER_LANES_INL_H_
#else
#define TENSORLANE_EXECUTION_INTEGER_LANES_INL_H_
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/execution/integer_steps.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class Wide>
using IntegerTag = hn::ScalableTag<Wide>;
template <class Wide>
constexpr auto kIntegerLanes = static_cast<std::int64_t>(hn::MaxLanes(IntegerTag<Wide>()));

// ---- widening and narrowing ----

template <class Wide, class T, class Narrow>
HWY_INLINE hn::Vec<IntegerTag<Wide>> widen(Narrow narrow) {
  const IntegerTag<Wide> d;
  using Signed = hn::RebindToSigned<IntegerTag<Wide>>;
  if constexpr (sizeof(T) == sizeof(Wide)) {
    return hn::BitCast(d, narrow);
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return hn::BitCast(d, hn::PromoteTo(hn::RebindToUnsigned<IntegerTag<Wide>>(), narrow));
  } else if constexpr (sizeof(Wide) == 8 && sizeof(T) < 4) {
    const auto words = hn::PromoteTo(hn::Rebind<std::int32_t, IntegerTag<Wide>>(), narrow);
    return hn::BitCast(d, hn::PromoteTo(Signed(), words));
  } else {
    return hn::BitCast(d, hn::PromoteTo(Signed(), narrow));
  }
}

// `count` elements side by side.
template <class Wide, class T>
void widen_elements(const std::byte* from, std::int64_t count, Wide* to) {
  const IntegerTag<Wide> d;
  const hn::Rebind<T, IntegerTag<Wide>> narrow;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const auto* const elements = reinterpret_cast<const T*>(from);
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes)
    hn::StoreU(widen<Wide, T>(hn::LoadU(narrow, elements + i)), d, to + i);
  for (; i < count; ++i)
    to[i] = static_cast<Wide>(load_element<T>(from + i * static_cast<std::int64_t>(sizeof(T))));
}
template <class Wide, class T>
void narrow_elements(const Wide* from, std::int64_t count, std::byte* to) {
  using Unsigned = hn::RebindToUnsigned<IntegerTag<Wide>>;
  const IntegerTag<Wide> d;
  const hn::Rebind<T, Unsigned> narrow;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  std::int64_t i = 0;
  for (; i + kLanes <= count; i += kLanes) {
    const auto bits = hn::BitCast(Unsigned(), hn::LoadU(d, from + i));
    hn::StoreU(hn::TruncateTo(narrow, bits), narrow, reinterpret_cast<T*>(to) + i);
  }
  for (; i < count; ++i)
    store_element(to + i * static_cast<std::int64_t>(sizeof(T)), static_cast<T>(from[i]));
}

// Types that are a quarter or less of the lanes, and any type where there is one element.
template <class Wide>
void widen_elements_of(Dtype dtype, const std::byte* from, std::int64_t count, Wide* to) {
  switch (dtype) {
    case Dtype::kInt8:
      return widen_elements<Wide, std::int8_t>(from, count, to);
    case Dtype::kUint8:
      return widen_elements<Wide, std::uint8_t>(from, count, to);
    case Dtype::kInt16:
      return widen_elements<Wide, std::int16_t>(from, count, to);
    case Dtype::kUint16:
      return widen_elements<Wide, std::uint16_t>(from, count, to);
    default:
      break;
  }
  if constexpr (sizeof(Wide) >= 4) {
    if (dtype == Dtype::kInt32) return widen_elements<Wide, std::int32_t>(from, count, to);
    widen_elements<Wide, std::uint32_t>(from, count, to);
  }
}
template <class Wide>
void narrow_elements_of(std::int64_t bytes, const Wide* from, std::int64_t count, std::byte* to) {
  if constexpr (sizeof(Wide) >= 4) {
    if (bytes == 1) return narrow_elements<Wide, std::uint8_t>(from, count, to);
  }
  if constexpr (sizeof(Wide) >= 8) {
    if (bytes == 2) narrow_elements<Wide, std::uint16_t>(from, count, to);
  }
}

// Elements side by side that need no pass of their own: as wide as the lanes, or half of it.
enum class ElementForm : std::uint8_t { kWide, kSignedHalf, kUnsignedHalf, kNone };
template <class Byte>
struct Elements {
  Byte* at = nullptr;
  ElementForm form = ElementForm::kNone;
  std::int64_t bytes = 0;  // of an element

  Elements moved(std::int64_t count) const { return {at + count * bytes, form, bytes}; }
};
using Input = Elements<const std::byte>;
using Inputs = std::array<Input, 3>;
using Output = Elements<std::byte>;

template <class Wide>
ElementForm form_of(Dtype dtype) {
  const auto bytes = static_cast<std::size_t>(dtype_bytes(dtype));
  if (bytes == sizeof(Wide)) return ElementForm::kWide;
  if (bytes * 2 != sizeof(Wide)) return ElementForm::kNone;
  return dtype_info(dtype).is_signed ? ElementForm::kSignedHalf : ElementForm::kUnsignedHalf;
}

template <class Wide>
HWY_INLINE hn::Vec<IntegerTag<Wide>> load_lanes(const Input& from, std::int64_t i) {
  using Half = hwy::MakeNarrow<hwy::MakeSigned<Wide>>;
  using UnsignedHalf = hwy::MakeUnsigned<Half>;
  const hn::Rebind<Half, IntegerTag<Wide>> half;
  const hn::Rebind<UnsignedHalf, IntegerTag<Wide>> unsigned_half;
  if (from.form == ElementForm::kWide)
    return hn::LoadU(IntegerTag<Wide>(), reinterpret_cast<const Wide*>(from.at) + i);
  if (from.form == ElementForm::kSignedHalf)
    return widen<Wide, Half>(hn::LoadU(half, reinterpret_cast<const Half*>(from.at) + i));
  return widen<Wide, UnsignedHalf>(
      hn::LoadU(unsigned_half, reinterpret_cast<const UnsignedHalf*>(from.at) + i));
}
template <class Wide>
HWY_INLINE void store_lanes(hn::Vec<IntegerTag<Wide>> value, const Output& to, std::int64_t i) {
  using Unsigned = hn::RebindToUnsigned<IntegerTag<Wide>>;
  using Half = hwy::MakeNarrow<hwy::MakeUnsigned<Wide>>;
  const hn::Rebind<Half, IntegerTag<Wide>> half;
  if (to.form == ElementForm::kWide)
    return hn::StoreU(value, IntegerTag<Wide>(), reinterpret_cast<Wide*>(to.at) + i);
  hn::StoreU(hn::TruncateTo(half, hn::BitCast(Unsigned(), value)), half,
             reinterpret_cast<Half*>(to.at) + i);
}

// ---- arithmetic ----

// The low 32 bits of 64-bit lanes hold the factors, as numbers of the lanes' sign.
template <class Wide, class V>
HWY_INLINE V product(V a, V b) {
  if constexpr (sizeof(Wide) < 8) {
    return hn::Mul(a, b);
  } else {
#if HWY_TARGET == HWY_SCALAR
    return hn::Set(IntegerTag<Wide>(), hn::GetLane(a) * hn::GetLane(b));
#else
    const hn::RepartitionToNarrow<IntegerTag<Wide>> halves;
    return hn::MulEven(hn::BitCast(halves, a), hn::BitCast(halves, b));
#endif
  }
}

template <class Wide, IntegerOperation kOperation>
void compute(const IntegerSteps& given, const IntegerShift& given_shift, const Inputs& given_inputs,
             std::int64_t count, const Output& given_result) {
  using Operation = IntegerOperation;
  const IntegerTag<Wide> d;
  const IntegerSteps steps = given;
  const IntegerShift shift = given_shift;
  const Input x = given_inputs[0], y = given_inputs[1], z = given_inputs[2];
  const Output result = given_result;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const auto set = [d](std::int64_t value)
                       HWY_ATTR { return hn::Set(d, static_cast<Wide>(value)); };
  const auto base = set(shift.base), even = set(shift.even), negative = set(shift.negative);
  const auto least = set(steps.least), most = set(steps.most);
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const auto a = load_lanes<Wide>(x, i);
    const auto b = kOperation == Operation::kFirst ? a : load_lanes<Wide>(y, i);
    auto value = a;
    if constexpr (kOperation == Operation::kAdd) value = hn::Add(a, b);
    if constexpr (kOperation == Operation::kSubtract) value = hn::Sub(a, b);
    if constexpr (kOperation == Operation::kMultiply) value = product<Wide>(a, b);
    if constexpr (kOperation == Operation::kMaximum) value = hn::Max(a, b);
    if constexpr (kOperation == Operation::kMinimum) value = hn::Min(a, b);
    if constexpr (kOperation == Operation::kMultiplyPair)
      value = product<Wide>(hn::Add(hn::ShiftLeft<8>(a), b), load_lanes<Wide>(z, i));
    if (shift.clamps_first) value = hn::Min(hn::Max(value, least), most);
    if (shift.left != 0) value = hn::ShiftLeftSame(value, shift.left);
    if constexpr (kOperation == Operation::kMultiplyAdd)
      value = hn::Add(value, product<Wide>(b, load_lanes<Wide>(z, i)));
    if (shift.right != 0) {
      auto up = hn::Add(base, hn::And(hn::ShiftRightSame(value, shift.right), even));
      if constexpr (std::is_signed_v<Wide>)
        up = hn::Add(up, hn::And(hn::BroadcastSignBit(value), negative));
      value = hn::ShiftRightSame(hn::Add(value, up), shift.right);
    }
    store_lanes<Wide>(hn::Min(hn::Max(value, least), most), result, i);
  }
}

// Shifts of x by y, see ShiftRounding. Values need not be shifted further than their bits.
template <class Wide>
void shift_each(const IntegerSteps& steps, const Inputs& inputs, std::int64_t count,
                const Output& given_result) {
  constexpr int kBits = 8 * sizeof(Wide), kMostRight = sizeof(Wide) == 4 ? 24 : 40;
  const IntegerTag<Wide> d;
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const ShiftRounding& rounding = steps.rounding;
  const Input x = inputs[0], y = inputs[1];
  const Output result = given_result;
  const auto set = [d](std::int64_t value)
                       HWY_ATTR { return hn::Set(d, static_cast<Wide>(value)); };
  const auto zero = hn::Zero(d), one = set(1);
  const auto half_mask = set(rounding.half), rest_mask = set(rounding.rest);
  const auto more = set(rounding.one), even = set(rounding.even);
  const auto negative_mask = set(rounding.negative_rest), negative_one = set(rounding.negative_one);
  for (std::int64_t i = 0; i < count; i += kLanes) {
    const auto value = load_lanes<Wide>(x, i), amount = load_lanes<Wide>(y, i);
    const auto left = hn::Min(hn::Max(amount, zero), set(kBits - 1));
    const auto right = hn::Min(hn::Max(hn::Neg(amount), zero), set(kMostRight));
    const auto rest = hn::Sub(hn::Shl(one, right), one);
    const auto half = hn::ShiftRight<1>(hn::Add(rest, one));
    const auto of_sign =
        hn::And(hn::BroadcastSignBit(value), hn::Add(hn::And(rest, negative_mask), negative_one));
    const auto of_last = hn::And(hn::Shr(value, right), even);
    auto up = hn::Add(hn::And(half, half_mask), hn::And(rest, rest_mask));
    up = hn::Add(hn::Add(up, more), hn::Add(of_sign, of_last));
    up = hn::IfThenElseZero(hn::Gt(right, zero), up);
    const auto down = hn::Shr(hn::Add(value, up), right);
    const auto shifted = hn::Shl(value, left);
    const auto kept = hn::IfThenZeroElse(hn::Gt(amount, set(kBits - 1)), shifted);
    store_lanes<Wide>(hn::IfThenElse(hn::Gt(amount, zero), kept, down), result, i);
  }
}

template <class Wide>
void compute_of(const IntegerSteps& steps, const IntegerShift& shift, const Inputs& inputs,
                std::int64_t count, const Output& result) {
  using Operation = IntegerOperation;
  switch (steps.operation) {
    case Operation::kAdd:
      return compute<Wide, Operation::kAdd>(steps, shift, inputs, count, result);
    case Operation::kSubtract:
      return compute<Wide, Operation::kSubtract>(steps, shift, inputs, count, result);
    case Operation::kMultiply:
      return compute<Wide, Operation::kMultiply>(steps, shift, inputs, count, result);
    case Operation::kMultiplyAdd:
      return compute<Wide, Operation::kMultiplyAdd>(steps, shift, inputs, count, result);
    case Operation::kFirst:
      return compute<Wide, Operation::kFirst>(steps, shift, inputs, count, result);
    case Operation::kMultiplyPair:
      return compute<Wide, Operation::kMultiplyPair>(steps, shift, inputs, count, result);
    case Operation::kMaximum:
      return compute<Wide, Operation::kMaximum>(steps, shift, inputs, count, result);
    case Operation::kMinimum:
      return compute<Wide, Operation::kMinimum>(steps, shift, inputs, count, result);
    case Operation::kShift:
      if constexpr (std::is_signed_v<Wide> && sizeof(Wide) >= 4)
        return shift_each<Wide>(steps, inputs, count, result);
      return;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_EXECUTION_INTEGER_LANES_INL_H_
