// The arithmetic of integer_vectors.h on rows of elements, in lanes that hold every step.
// Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_INTEGER_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_INTEGER_LANES_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_INTEGER_LANES_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_INTEGER_LANES_INL_H_
#endif

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/integer_elements_inl.h"
#include "tensorlane/compute/rows/integer_pairs_inl.h"
#include "tensorlane/compute/rows/integer_steps.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

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
  // What is left to do is to shift right.
  HWY_INLINE V raised(V value) const {
    const hn::RebindToUnsigned<IntegerTag<Wide>> bits;  // `even` is the last bit, whatever the sign
    const auto kept = hn::ShiftRightSame(hn::BitCast(bits, value), right);
    auto up = hn::Add(base, hn::And(hn::BitCast(IntegerTag<Wide>(), kept), even));
    if constexpr (std::is_signed_v<Wide>) {
      if (looks_at_sign) up = hn::Add(up, hn::And(hn::BroadcastSignBit(value), negative));
    }
    return hn::Add(value, up);
  }
};

template <class Wide>
HWY_INLINE void enter_shift(const IntegerSteps& steps, const IntegerRows& rows, std::int64_t b,
                            std::int64_t r, ShiftLanes<Wide>& shift) {
  if (steps.by_byte == nullptr) return;
  const std::byte* const byte = rows.shifts.at + b * rows.shifts.block + r * rows.shifts.next;
  shift = ShiftLanes<Wide>(steps.by_byte[load_element<std::uint8_t>(byte)]);
}

// The result of f(shift, a, b, c) from element i of a row on, of which `left` count; kSources of
// the three are read. (Arrays of sources would live in memory.)
template <class Wide, int kSources, ElementForm kForm, bool kEnd, class F>
HWY_INLINE auto vector_of(const ShiftLanes<Wide>& shift, const RowInput<Wide>& x,
                          const RowInput<Wide>& y, const RowInput<Wide>& z, std::int64_t i,
                          std::size_t left, const F& f) {
  const auto a = load_lanes<Wide, kForm, kEnd>(x, i, left);
  auto b = a, c = a;
  if constexpr (kSources > 1) b = load_lanes<Wide, kForm, kEnd>(y, i, left);
  if constexpr (kSources > 2) c = load_lanes<Wide, kForm, kEnd>(z, i, left);
  return f(shift, a, b, c);
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
      enter_shift(steps, rows, b, r, shift);
      enter_row(rows.sources[0], steps.sources[0], b, r, x);
      if constexpr (kSources > 1) enter_row(rows.sources[1], steps.sources[1], b, r, y);
      if constexpr (kSources > 2) enter_row(rows.sources[2], steps.sources[2], b, r, z);
      Output to = rows.result;
      to.at += b * to.block + r * to.next;
      const std::int64_t last = (count - 1) / kLanes * kLanes;
      if constexpr (kEndsWithRows) {
        for (std::int64_t i = 0; i < last; i += kLanes)
          store_lanes<Wide, kForm, false>(
              vector_of<Wide, kSources, kForm, false>(shift, x, y, z, i, 0, f), to, i, 0);
        const auto left = static_cast<std::size_t>(count - last);
        store_lanes<Wide, kForm, true>(
            vector_of<Wide, kSources, kForm, true>(shift, x, y, z, last, left, f), to, last, left);
      } else {
        // The last one is computed first and stored last; in one loop, for f is long.
        const std::int64_t end = rows.repeats_ends ? count - kLanes : last;
        auto at_end = hn::Zero(IntegerTag<Wide>());
        for (std::int64_t i = -kLanes; i < last; i += kLanes) {
          const bool is_end = i < 0;
          const auto value =
              vector_of<Wide, kSources, kForm, false>(shift, x, y, z, is_end ? end : i, 0, f);
          if (is_end) {
            at_end = value;
          } else {
            store_lanes<Wide, kForm, false>(value, to, i, 0);
          }
        }
        store_lanes<Wide, kForm, false>(at_end, to, end, 0);
      }
    }
  }
}

// The operation and what comes before the last shift.
template <class Wide, IntegerOperation kOperation, class V>
HWY_INLINE V before_right(const ShiftLanes<Wide>& shift, V a, V b, V c, V least, V most) {
  using Operation = IntegerOperation;
  V value = a;
  static_cast<void>(b);
  static_cast<void>(c);
  if constexpr (kOperation == Operation::kAdd) value = hn::Add(a, b);
  if constexpr (kOperation == Operation::kSubtract) value = hn::Sub(a, b);
  if constexpr (kOperation == Operation::kMultiply) value = product<Wide>(a, b);
  if constexpr (kOperation == Operation::kMaximum) value = hn::Max(a, b);
  if constexpr (kOperation == Operation::kMinimum) value = hn::Min(a, b);
  if constexpr (kOperation == Operation::kMultiplyPair)
    value = product<Wide>(hn::Add(hn::ShiftLeft<8>(a), b), c);
  if (shift.clamps_first) value = hn::Min(hn::Max(value, least), most);
  if (shift.left != 0) value = hn::ShiftLeftSame(value, shift.left);
  if constexpr (kOperation == Operation::kMultiplyAdd) value = hn::Add(value, product<Wide>(b, c));
  return shift.right != 0 ? shift.raised(value) : value;
}

constexpr int sources_of(IntegerOperation operation) {
  using Operation = IntegerOperation;
  if (operation == Operation::kFirst) return 1;
  return operation == Operation::kMultiplyAdd || operation == Operation::kMultiplyPair ? 3 : 2;
}

// What comes of the sources, in lanes as wide as they are.
template <class Wide, IntegerOperation kOperation>
HWY_INLINE auto formula_of(const IntegerSteps& steps) {
  using V = hn::Vec<IntegerTag<Wide>>;
  return [least = ShiftLanes<Wide>::set(steps.least), most = ShiftLanes<Wide>::set(steps.most),
          clamps = steps.clamps](const ShiftLanes<Wide>& shift, V a, V b, V c) HWY_ATTR {
    V value = before_right<Wide, kOperation>(shift, a, b, c, least, most);
    if (shift.right != 0) value = hn::ShiftRightSame(value, shift.right);
    return clamps ? hn::Min(hn::Max(value, least), most) : value;
  };
}

template <class Wide, IntegerOperation kOperation, ElementForm kForm = ElementForm::kNone>
void compute(const IntegerSteps& steps, const IntegerRows& rows) {
  map_rows<Wide, sources_of(kOperation), kForm>(steps, rows, formula_of<Wide, kOperation>(steps));
}

// compute() for elements of 32 bits, see integer_pairs_inl.h.
template <class Wide, IntegerOperation kOperation, class T>
void compute_pairs(const IntegerSteps& steps, const IntegerRows& given) {
  using Pairs = IntegerPairs<Wide>;
  using Words = typename PairLanes<Wide>::Words;
  constexpr bool kTwo = kOperation != IntegerOperation::kFirst;
  constexpr bool kExtends = kOperation != IntegerOperation::kMultiply;
  constexpr auto kLanes = PairLanes<Wide>::kLanes;
  const IntegerRows rows = given;
  const auto least = ShiftLanes<Wide>::set(steps.least), most = ShiftLanes<Wide>::set(steps.most);
  const PairLanes<Wide> pairs(dtype_info(steps.dst).is_signed, steps.clamps);
  ShiftLanes<Wide> shift(steps.shift);
  RowInput<Wide> x, y;
  for (std::int64_t b = 0; b < rows.blocks; ++b) {
    for (std::int64_t r = 0; r < rows.rows; ++r) {
      enter_shift(steps, rows, b, r, shift);
      enter_row(rows.sources[0], steps.sources[0], b, r, x);
      if constexpr (kTwo) enter_row(rows.sources[1], steps.sources[1], b, r, y);
      Output to = rows.result;
      to.at += b * to.block + r * to.next;
      auto* const elements = reinterpret_cast<std::int32_t*>(to.at);
      const std::int64_t last = (rows.count - 1) / kLanes * kLanes;
      auto at_end = hn::Zero(Words());
      for (std::int64_t i = -kLanes; i < last; i += kLanes) {  // as in map_rows()
        const std::int64_t at = i < 0 ? rows.count - kLanes : i;
        const Pairs p = PairLanes<Wide>::template load<T, kExtends>(x, at);
        Pairs q = p;
        if constexpr (kTwo) q = PairLanes<Wide>::template load<T, kExtends>(y, at);
        const Pairs value{
            before_right<Wide, kOperation>(shift, p.even, q.even, p.even, least, most),
            before_right<Wide, kOperation>(shift, p.odd, q.odd, p.odd, least, most)};
        const auto result = pairs.narrowed(value, shift.right);
        if (i < 0) {
          at_end = result;
        } else {
          hn::StoreU(result, Words(), elements + i);
        }
      }
      hn::StoreU(at_end, Words(), elements + (rows.count - kLanes));
    }
  }
}
// Whether vectors of so many elements end where rows do.
template <class Wide>
bool takes_pairs(const IntegerRows& rows) {
  constexpr auto kLanes = PairLanes<Wide>::kLanes;
  return rows.count % kLanes == 0 || (rows.repeats_ends && rows.count >= kLanes);
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
  const ElementForm form = common_half(rows, steps.source_count);
  if constexpr (kInPairs<Wide>) {
    if (form != ElementForm::kNone && takes_pairs<Wide>(rows)) {
      return form == ElementForm::kSignedHalf
                 ? compute_pairs<Wide, kOperation, std::int32_t>(steps, rows)
                 : compute_pairs<Wide, kOperation, std::uint32_t>(steps, rows);
    }
  }
  switch (form) {
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
template <class Wide, bool kRounds, bool kByByte>
HWY_INLINE auto shift_formula_of(const IntegerSteps& steps) {
  using V = hn::Vec<IntegerTag<Wide>>;
  constexpr int kBits = 8 * sizeof(Wide);
  constexpr int kMostRight = sizeof(Wide) == 4 ? 24 : 40;
  const auto set = [](std::int64_t number) HWY_ATTR { return ShiftLanes<Wide>::set(number); };
  const ShiftRounding& rounding = steps.rounding;
  const V zero = set(0), one = set(1);
  const V half_mask = set(rounding.half), rest_mask = set(rounding.rest);
  const V more = set(rounding.one), even = set(rounding.even);
  const V negative_mask = set(rounding.negative_rest), negative_one = set(rounding.negative_one);
  return [=](const ShiftLanes<Wide>&, V value, V amount, V) HWY_ATTR {
    if constexpr (kByByte) amount = hn::ShiftRight<kBits - 8>(hn::ShiftLeft<kBits - 8>(amount));
    const V left = hn::And(amount, set(31));  // left_places()
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
    V raised = hn::Shl(value, left);
    if constexpr (kByByte) raised = hn::IfThenZeroElse(hn::Gt(amount, set(31)), raised);
    return hn::IfThenElse(hn::Gt(amount, zero), raised, down);
  };
}
template <class Wide, bool kRounds, bool kByByte>
void shift_each(const IntegerSteps& steps, const IntegerRows& rows) {
  map_rows<Wide, 2>(steps, rows, shift_formula_of<Wide, kRounds, kByByte>(steps));
}

// Narrower lanes never get a shift: lanes_that_hold() asks for words.
template <class Wide, bool kByByte>
void shift_words(const IntegerSteps& steps, const IntegerRows& rows) {
  if constexpr (sizeof(Wide) >= 4) {
    steps.rounding.rounds() ? shift_each<Wide, true, kByByte>(steps, rows)
                            : shift_each<Wide, false, kByByte>(steps, rows);
  }
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
      return shift_words<Wide, false>(steps, rows);
    case Operation::kShiftByByte:
      return shift_words<Wide, true>(steps, rows);
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

#endif  // TENSORLANE_COMPUTE_ROWS_INTEGER_LANES_INL_H_
