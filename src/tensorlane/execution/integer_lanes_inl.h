// The arithmetic of integer_vectors.h on rows of elements, in lanes that hold every step.
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
#include "tensorlane/execution/row_loops_inl.h"

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

// Types that are a quarter or less of the lanes.
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

template <class Wide>
HWY_INLINE Wide one_element(Dtype dtype, const std::byte* at) {
  switch (dtype) {
    case Dtype::kInt8:
      return static_cast<Wide>(load_element<std::int8_t>(at));
    case Dtype::kUint8:
      return static_cast<Wide>(load_element<std::uint8_t>(at));
    case Dtype::kInt16:
      return static_cast<Wide>(load_element<std::int16_t>(at));
    case Dtype::kUint16:
      return static_cast<Wide>(load_element<std::uint16_t>(at));
    case Dtype::kInt32:
      return static_cast<Wide>(load_element<std::int32_t>(at));
    default:
      return static_cast<Wide>(load_element<std::uint32_t>(at));
  }
}

// Elements that vectors take where they are: as wide as the lanes, a half or a quarter of them, or
// one for a whole row.
enum class ElementForm : std::uint8_t {
  kWide,
  kSignedHalf,
  kUnsignedHalf,
  kSignedQuarter,
  kUnsignedQuarter,
  kConstant,
  kNone
};
// Rows of elements side by side.
template <class Byte>
struct Elements {
  Byte* at = nullptr;
  ElementForm form = ElementForm::kNone;
  std::int64_t next = 0, block = 0;  // bytes to the next row and to the next block of rows
  bool in_pairs = false;             // two bytes in each word of four
};
using Input = Elements<const std::byte>;
using Output = Elements<std::byte>;

// A frame (see Row) whose operands are all in such a form.
struct IntegerRows {
  std::int64_t count = 0, rows = 1, blocks = 1;
  std::array<Input, 3> sources{};
  Output result{};
  Input shifts{};  // of the rows, where each has its own
};

// Whether vectors end where rows do; else they reach beyond them.
constexpr bool kEndsWithRows = kHasMasks<std::uint8_t>;

template <class Wide>
ElementForm form_of(Dtype dtype) {
  const auto bytes = static_cast<std::size_t>(dtype_bytes(dtype));
  const bool is_signed = dtype_info(dtype).is_signed;
  if (bytes == sizeof(Wide)) return ElementForm::kWide;
  if (bytes * 2 == sizeof(Wide))
    return is_signed ? ElementForm::kSignedHalf : ElementForm::kUnsignedHalf;
  if (bytes * 4 == sizeof(Wide))
    return is_signed ? ElementForm::kSignedQuarter : ElementForm::kUnsignedQuarter;
  return ElementForm::kNone;
}

// A source of one row.
template <class Wide>
struct RowInput {
  const std::byte* at = nullptr;
  ElementForm form = ElementForm::kNone;
  bool in_pairs = false;
  hn::Vec<IntegerTag<Wide>> constant{};
};
template <class Wide>
HWY_INLINE void enter_row(const Input& source, Dtype dtype, std::int64_t b, std::int64_t r,
                          RowInput<Wide>& row) {
  row.at = source.at + b * source.block + r * source.next;
  row.form = source.form;
  row.in_pairs = source.in_pairs;
  const bool stays = source.next == 0 && source.block == 0 && (b > 0 || r > 0);
  if (source.form != ElementForm::kConstant || stays) return;
  row.constant = hn::Set(IntegerTag<Wide>(), one_element<Wide>(dtype, row.at));
}

// The words that hold as many bytes as `Narrow` has lanes, two in each, and the halves of words.
template <class Narrow>
using PairWords = hn::Rebind<std::uint32_t, hn::Repartition<std::uint16_t, Narrow>>;
template <class Narrow>
using PairHalves = hn::Repartition<std::uint16_t, PairWords<Narrow>>;

// A vector from element i on, of which `left` count: with kEnd they may be fewer than the lanes.
template <class Wide, class T, bool kEnd, bool kMayPair = true>
HWY_INLINE hn::Vec<IntegerTag<Wide>> load_as(const RowInput<Wide>& from, std::int64_t i,
                                             std::size_t left) {
  using Narrow = hn::Rebind<T, IntegerTag<Wide>>;
  const Narrow narrow;
  if constexpr (kMayPair && kEndsWithRows && sizeof(T) == 1 && sizeof(Wide) <= 4) {
    if (from.in_pairs) {
      const hn::Repartition<std::uint16_t, Narrow> pairs;
      const PairWords<Narrow> words;
      const PairHalves<Narrow> halves;
      const auto* const at = reinterpret_cast<const std::uint16_t*>(from.at) + i;
      const auto used =
          kEnd ? hn::MaskedLoad(hn::FirstN(halves, left - 1), halves, at) : hn::LoadU(halves, at);
      return widen<Wide, T>(hn::BitCast(narrow, hn::TruncateTo(pairs, hn::BitCast(words, used))));
    }
  }
  const auto* const at = reinterpret_cast<const T*>(from.at) + i;
  if constexpr (kEnd) {
    return widen<Wide, T>(hn::MaskedLoad(hn::FirstN(narrow, left), narrow, at));
  } else {
    return widen<Wide, T>(hn::LoadU(narrow, at));
  }
}
// kForm is the form of what is no constant, kNone where sources differ.
template <class Wide, ElementForm kForm, bool kEnd>
HWY_INLINE hn::Vec<IntegerTag<Wide>> load_lanes(const RowInput<Wide>& from, std::int64_t i,
                                                std::size_t left) {
  using Half = hwy::MakeNarrow<hwy::MakeSigned<Wide>>;
  if (from.form == ElementForm::kConstant) return from.constant;
  if constexpr (kForm == ElementForm::kSignedHalf)
    return load_as<Wide, Half, kEnd, false>(from, i, left);
  if constexpr (kForm == ElementForm::kUnsignedHalf)
    return load_as<Wide, hwy::MakeUnsigned<Half>, kEnd, false>(from, i, left);
  if (from.form == ElementForm::kWide) return load_as<Wide, Wide, kEnd>(from, i, left);
  if (from.form == ElementForm::kSignedHalf) return load_as<Wide, Half, kEnd>(from, i, left);
  if constexpr (sizeof(Wide) >= 4) {
    using Quarter = hwy::MakeNarrow<Half>;
    if (from.form == ElementForm::kSignedQuarter)
      return load_as<Wide, Quarter, kEnd>(from, i, left);
    if (from.form == ElementForm::kUnsignedQuarter)
      return load_as<Wide, hwy::MakeUnsigned<Quarter>, kEnd>(from, i, left);
  }
  return load_as<Wide, hwy::MakeUnsigned<Half>, kEnd>(from, i, left);
}

template <class Wide, class T>
HWY_INLINE auto low_bits(hn::Vec<IntegerTag<Wide>> value) {
  const hn::Rebind<T, IntegerTag<Wide>> narrow;
  const auto bits = hn::BitCast(hn::RebindToUnsigned<IntegerTag<Wide>>(), value);
  if constexpr (sizeof(T) == sizeof(Wide)) {
    return bits;
  } else {
    return hn::TruncateTo(narrow, bits);
  }
}
template <class Wide, class T, bool kEnd, bool kMayPair = true>
HWY_INLINE void store_as(hn::Vec<IntegerTag<Wide>> value, const Output& to, std::int64_t i,
                         std::size_t left) {
  using Narrow = hn::Rebind<T, IntegerTag<Wide>>;
  const Narrow narrow;
  const auto bits = low_bits<Wide, T>(value);
  if constexpr (kMayPair && kEndsWithRows && sizeof(T) == 1 && sizeof(Wide) <= 4) {
    if (to.in_pairs) {
      const hn::Repartition<std::uint16_t, Narrow> pairs;
      const PairWords<Narrow> words;
      const PairHalves<Narrow> halves;
      const auto first = hn::MaskFromVec(hn::BitCast(halves, hn::Set(words, 0xffffU)));
      const auto used = kEnd ? hn::And(first, hn::FirstN(halves, left - 1)) : first;
      hn::BlendedStore(hn::BitCast(halves, hn::PromoteTo(words, hn::BitCast(pairs, bits))), used,
                       halves, reinterpret_cast<std::uint16_t*>(to.at) + i);
      return;
    }
  }
  auto* const at = reinterpret_cast<T*>(to.at) + i;
  if constexpr (kEnd) {
    hn::BlendedStore(bits, hn::FirstN(narrow, left), narrow, at);
  } else {
    hn::StoreU(bits, narrow, at);
  }
}
template <class Wide, ElementForm kForm, bool kEnd>
HWY_INLINE void store_lanes(hn::Vec<IntegerTag<Wide>> value, const Output& to, std::int64_t i,
                            std::size_t left) {
  using Bits = hwy::MakeUnsigned<Wide>;
  using Half = hwy::MakeNarrow<Bits>;
  if constexpr (kForm != ElementForm::kNone)
    return store_as<Wide, Half, kEnd, false>(value, to, i, left);
  if (to.form == ElementForm::kWide) return store_as<Wide, Bits, kEnd>(value, to, i, left);
  if constexpr (sizeof(Wide) >= 4) {
    if (to.form == ElementForm::kSignedQuarter || to.form == ElementForm::kUnsignedQuarter)
      return store_as<Wide, hwy::MakeNarrow<Half>, kEnd>(value, to, i, left);
  }
  store_as<Wide, Half, kEnd>(value, to, i, left);
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

// The numbers of a shift in lanes.
template <class Wide>
struct ShiftLanes {
  using V = hn::Vec<IntegerTag<Wide>>;
  int left, right;
  bool clamps_first, looks_at_sign;
  V base, even, negative;

  HWY_INLINE explicit ShiftLanes(const IntegerShift& shift)
      : left(shift.left),
        right(shift.right),
        clamps_first(shift.clamps_first),
        looks_at_sign(shift.negative != 0),
        base(set(shift.base)),
        even(set(shift.even)),
        negative(set(shift.negative)) {}

  static HWY_INLINE V set(std::int64_t value) {
    return hn::Set(IntegerTag<Wide>(), static_cast<Wide>(value));
  }
  HWY_INLINE V rounded_right(V value) const {
    auto up = hn::Add(base, hn::And(hn::ShiftRightSame(value, right), even));
    if constexpr (std::is_signed_v<Wide>) {
      if (looks_at_sign) up = hn::Add(up, hn::And(hn::BroadcastSignBit(value), negative));
    }
    return hn::ShiftRightSame(hn::Add(value, up), right);
  }
};

// The result of f(shift, a, b, c) from element i of a row on, of which `left` count; kSources of
// the three are read. (Arrays of sources would live in memory.)
template <class Wide, int kSources, ElementForm kForm, bool kEnd, class F>
HWY_INLINE void map_vector(const ShiftLanes<Wide>& shift, const RowInput<Wide>& x,
                           const RowInput<Wide>& y, const RowInput<Wide>& z, const Output& to,
                           std::int64_t i, std::size_t left, const F& f) {
  const auto a = load_lanes<Wide, kForm, kEnd>(x, i, left);
  auto b = a, c = a;
  if constexpr (kSources > 1) b = load_lanes<Wide, kForm, kEnd>(y, i, left);
  if constexpr (kSources > 2) c = load_lanes<Wide, kForm, kEnd>(z, i, left);
  store_lanes<Wide, kForm, kEnd>(f(shift, a, b, c), to, i, left);
}

template <class Wide, int kSources, ElementForm kForm = ElementForm::kNone, class F>
HWY_INLINE void map_rows(const IntegerSteps& steps, const IntegerRows& given, const F& f) {
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const IntegerRows rows = given;  // a store might change the other one, as the compiler sees it
  const std::int64_t count = rows.count;
  ShiftLanes<Wide> shift(steps.shift);
  RowInput<Wide> x, y, z;
  for (std::int64_t b = 0; b < rows.blocks; ++b) {
    for (std::int64_t r = 0; r < rows.rows; ++r) {
      if (steps.by_byte != nullptr) {
        const Input& shifts = rows.shifts;
        const std::byte* const byte = shifts.at + b * shifts.block + r * shifts.next;
        shift = ShiftLanes<Wide>(steps.by_byte[load_element<std::uint8_t>(byte)]);
      }
      enter_row(rows.sources[0], steps.sources[0], b, r, x);
      if constexpr (kSources > 1) enter_row(rows.sources[1], steps.sources[1], b, r, y);
      if constexpr (kSources > 2) enter_row(rows.sources[2], steps.sources[2], b, r, z);
      Output to = rows.result;
      to.at += b * to.block + r * to.next;
      std::int64_t i = 0;
      for (; i + kLanes < count; i += kLanes)
        map_vector<Wide, kSources, kForm, false>(shift, x, y, z, to, i, 0, f);
      // The last one is whole where there are no masks.
      map_vector<Wide, kSources, kForm, kEndsWithRows>(shift, x, y, z, to, i,
                                                       static_cast<std::size_t>(count - i), f);
    }
  }
}

template <class Wide, IntegerOperation kOperation, ElementForm kForm = ElementForm::kNone>
void compute(const IntegerSteps& steps, const IntegerRows& rows) {
  using Operation = IntegerOperation;
  using V = hn::Vec<IntegerTag<Wide>>;
  constexpr bool kThree =
      kOperation == Operation::kMultiplyAdd || kOperation == Operation::kMultiplyPair;
  constexpr int kSources = kThree ? 3 : kOperation == Operation::kFirst ? 1 : 2;
  const V least = ShiftLanes<Wide>::set(steps.least), most = ShiftLanes<Wide>::set(steps.most);
  const bool clamps = steps.clamps;
  map_rows<Wide, kSources, kForm>(steps, rows,
                                  [=](const ShiftLanes<Wide>& shift, V a, V b, V c) HWY_ATTR {
                                    V value = a;
                                    static_cast<void>(b);
                                    static_cast<void>(c);
                                    if constexpr (kOperation == Operation::kAdd)
                                      value = hn::Add(a, b);
                                    if constexpr (kOperation == Operation::kSubtract)
                                      value = hn::Sub(a, b);
                                    if constexpr (kOperation == Operation::kMultiply)
                                      value = product<Wide>(a, b);
                                    if constexpr (kOperation == Operation::kMaximum)
                                      value = hn::Max(a, b);
                                    if constexpr (kOperation == Operation::kMinimum)
                                      value = hn::Min(a, b);
                                    if constexpr (kOperation == Operation::kMultiplyPair)
                                      value = product<Wide>(hn::Add(hn::ShiftLeft<8>(a), b), c);
                                    if (shift.clamps_first)
                                      value = hn::Min(hn::Max(value, least), most);
                                    if (shift.left != 0)
                                      value = hn::ShiftLeftSame(value, shift.left);
                                    if constexpr (kOperation == Operation::kMultiplyAdd)
                                      value = hn::Add(value, product<Wide>(b, c));
                                    if (shift.right != 0) value = shift.rounded_right(value);
                                    return clamps ? hn::Min(hn::Max(value, least), most) : value;
                                  });
}

// The form of all sources that are no constants, where it is half the lanes and the result's.
inline ElementForm common_half(const IntegerRows& rows, int source_count) {
  const auto is_half = [](ElementForm form) {
    return form == ElementForm::kSignedHalf || form == ElementForm::kUnsignedHalf;
  };
  ElementForm form = ElementForm::kConstant;
  if (!is_half(rows.result.form) || rows.result.in_pairs) return ElementForm::kNone;
  for (int k = 0; k < source_count; ++k) {
    const Input& source = rows.sources[static_cast<std::size_t>(k)];
    if (source.form == ElementForm::kConstant) continue;
    const bool other = form != ElementForm::kConstant && form != source.form;
    if (other || source.in_pairs || !is_half(source.form)) return ElementForm::kNone;
    form = source.form;
  }
  return form;
}
// A loop of its own where all operands have half the lanes' width, as most have.
template <class Wide, IntegerOperation kOperation>
void compute_by_form(const IntegerSteps& steps, const IntegerRows& rows) {
  switch (common_half(rows, steps.source_count)) {
    case ElementForm::kSignedHalf:
      return compute<Wide, kOperation, ElementForm::kSignedHalf>(steps, rows);
    case ElementForm::kUnsignedHalf:
      return compute<Wide, kOperation, ElementForm::kUnsignedHalf>(steps, rows);
    default:
      return compute<Wide, kOperation>(steps, rows);
  }
}

// Shifts of the first source by the second, see ShiftRounding. Values need not be shifted further
// than their bits.
template <class Wide, bool kRounds>
void shift_each(const IntegerSteps& steps, const IntegerRows& rows) {
  using V = hn::Vec<IntegerTag<Wide>>;
  constexpr int kBits = 8 * sizeof(Wide), kMostRight = sizeof(Wide) == 4 ? 24 : 40;
  const auto set = [](std::int64_t number) HWY_ATTR { return ShiftLanes<Wide>::set(number); };
  const ShiftRounding& rounding = steps.rounding;
  const V zero = set(0), one = set(1);
  const V half_mask = set(rounding.half), rest_mask = set(rounding.rest);
  const V more = set(rounding.one), even = set(rounding.even);
  const V negative_mask = set(rounding.negative_rest), negative_one = set(rounding.negative_one);
  map_rows<Wide, 2>(steps, rows, [=](const ShiftLanes<Wide>&, V value, V amount, V) HWY_ATTR {
    const V left = hn::Min(hn::Max(amount, zero), set(kBits - 1));
    const V right = hn::Min(hn::Max(hn::Neg(amount), zero), set(kMostRight));
    V up = zero;
    if constexpr (kRounds) {
      const V rest = hn::Sub(hn::Shl(one, right), one);
      const V half = hn::ShiftRight<1>(hn::Add(rest, one));
      const V of_sign =
          hn::And(hn::BroadcastSignBit(value), hn::Add(hn::And(rest, negative_mask), negative_one));
      const V of_last = hn::And(hn::Shr(value, right), even);
      up = hn::Add(hn::And(half, half_mask), hn::And(rest, rest_mask));
      up = hn::Add(hn::Add(up, more), hn::Add(of_sign, of_last));
      up = hn::IfThenElseZero(hn::Gt(right, zero), up);
    }
    const V down = hn::Shr(hn::Add(value, up), right);
    const V kept = hn::IfThenZeroElse(hn::Gt(amount, set(kBits - 1)), hn::Shl(value, left));
    return hn::IfThenElse(hn::Gt(amount, zero), kept, down);
  });
}

template <class Wide>
void compute_signed(const IntegerSteps& steps, const IntegerRows& rows) {
  using Operation = IntegerOperation;
  switch (steps.operation) {
    case Operation::kAdd:
      return compute_by_form<Wide, Operation::kAdd>(steps, rows);
    case Operation::kSubtract:
      return compute_by_form<Wide, Operation::kSubtract>(steps, rows);
    case Operation::kMultiply:
      return compute_by_form<Wide, Operation::kMultiply>(steps, rows);
    case Operation::kMultiplyAdd:
      return compute<Wide, Operation::kMultiplyAdd>(steps, rows);
    case Operation::kFirst:
      return compute_by_form<Wide, Operation::kFirst>(steps, rows);
    case Operation::kMultiplyPair:
      return compute<Wide, Operation::kMultiplyPair>(steps, rows);
    case Operation::kMaximum:
      return compute<Wide, Operation::kMaximum>(steps, rows);
    case Operation::kMinimum:
      return compute<Wide, Operation::kMinimum>(steps, rows);
    case Operation::kShift:
      if constexpr (sizeof(Wide) >= 4) {
        return steps.rounding.rounds() ? shift_each<Wide, true>(steps, rows)
                                       : shift_each<Wide, false>(steps, rows);
      }
      return;
  }
}

template <class Wide>
void compute_of(const IntegerSteps& steps, const IntegerRows& rows) {
  if constexpr (std::is_signed_v<Wide>) {
    compute_signed<Wide>(steps, rows);
  } else {  // lanes_that_hold() gives these products alone
    compute_by_form<Wide, IntegerOperation::kMultiply>(steps, rows);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_EXECUTION_INTEGER_LANES_INL_H_
