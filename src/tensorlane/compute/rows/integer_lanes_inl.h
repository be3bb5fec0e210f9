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

// Vectors side by side: what the numbers of a call and the forms of its operands decide is decided
// once for them.
template <class Wide, int kVectors>
struct LaneBlock {
  using V = hn::Vec<IntegerTag<Wide>>;
  V vectors[kVectors];

  // A constructor that the compiler makes is none of this target's.
  HWY_INLINE LaneBlock() {}  // NOLINT(modernize-use-equals-default)
  HWY_INLINE LaneBlock(V even, V odd) : vectors{even, odd} {}

  template <class F>
  HWY_INLINE void each(const F& f) {
    for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR { vectors[v] = f(vectors[v]); });
  }
  template <class F>
  HWY_INLINE void with(const LaneBlock& other, const F& f) {
    for_each_vector<kVectors>([&](auto v)
                                  TL_INLINE_ATTR { vectors[v] = f(vectors[v], other.vectors[v]); });
  }
};
// How many vectors, for so many sources: they stay in sixteen registers.
template <int kSources>
constexpr int kLaneBlock = HWY_TARGET != HWY_AVX2 ? 1
                           : kSources > 2         ? 2
                                                  : 4;

// The numbers of a shift in lanes.
template <class Wide>
struct ShiftLanes {
  using V = hn::Vec<IntegerTag<Wide>>;
  int left, right;
  bool clamps_first, looks_at_sign, looks_at_last;
  V base, even, negative;

  HWY_INLINE explicit ShiftLanes(const IntegerShift& shift)
      : left(shift.left),
        right(shift.right),
        clamps_first(shift.clamps_first),
        looks_at_sign(shift.negative != 0),
        looks_at_last(shift.even != 0),
        base(set(shift.base)),
        even(set(shift.even)),
        negative(set(shift.negative)) {}

  static HWY_INLINE V set(std::int64_t value) {
    return hn::Set(IntegerTag<Wide>(), static_cast<Wide>(value));
  }
  // What is left to do is to shift right.
  template <int kVectors>
  HWY_INLINE void raise(LaneBlock<Wide, kVectors>& block) const {
    if (!looks_at_sign && !looks_at_last)
      return block.each([&](V value) TL_INLINE_ATTR { return hn::Add(value, base); });
    const hn::RebindToUnsigned<IntegerTag<Wide>> bits;  // `even` is the last bit, whatever the sign
    const auto up = [&](V value) TL_INLINE_ATTR {
      const auto kept = hn::ShiftRightSame(hn::BitCast(bits, value), right);
      return hn::Add(base, hn::And(hn::BitCast(IntegerTag<Wide>(), kept), even));
    };
    if constexpr (std::is_signed_v<Wide>) {
      if (looks_at_sign)
        return block.each([&](V value) TL_INLINE_ATTR {
          const V of_sign = hn::And(hn::BroadcastSignBit(value), negative);
          return hn::Add(value, hn::Add(up(value), of_sign));
        });
    }
    block.each([&](V value) TL_INLINE_ATTR { return hn::Add(value, up(value)); });
  }
};

template <class Shift>
HWY_INLINE void enter_shift(const IntegerSteps& steps, const IntegerRows& rows, std::int64_t b,
                            std::int64_t r, Shift& shift) {
  if (steps.by_byte == nullptr) return;
  const std::byte* const byte = rows.shifts.at + b * rows.shifts.block + r * rows.shifts.next;
  shift = Shift(steps.by_byte[load_element<std::uint8_t>(byte)]);
}

// The results of f(shift, a, b, c), which are then in a, from element i of a row on, of which
// `left` count; kSources of the three are read. (Arrays of sources would live in memory.)
template <class Wide, int kSources, int kVectors, ElementForm kForm, bool kEnd, class Shift,
          class F>
HWY_INLINE auto block_of(const Shift& shift, const RowInput<Wide>& x, const RowInput<Wide>& y,
                         const RowInput<Wide>& z, std::int64_t i, std::size_t left, const F& f) {
  LaneBlock<Wide, kVectors> a;
  load_vectors<Wide, kVectors, kForm, kEnd>(x, i, left, a.vectors);
  auto b = a, c = a;
  if constexpr (kSources > 1) load_vectors<Wide, kVectors, kForm, kEnd>(y, i, left, b.vectors);
  if constexpr (kSources > 2) load_vectors<Wide, kVectors, kForm, kEnd>(z, i, left, c.vectors);
  f(shift, a, b, c);
  return a;
}

// `Shift`: of the lanes that are shifted.
template <class Wide, int kSources, ElementForm kForm = ElementForm::kNone,
          class Shift = ShiftLanes<Wide>, int kBlock = kLaneBlock<kSources>, class F>
HWY_INLINE void map_rows(const IntegerSteps& steps, const IntegerRows& given, const F& f) {
  constexpr std::int64_t kLanes = kIntegerLanes<Wide>;
  const IntegerRows rows = given;  // a store might change the other one, as the compiler sees it
  const std::int64_t count = rows.count;
  Shift shift(steps.shift);
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
        std::int64_t i = 0;
        if constexpr (kBlock > 1) {
          for (; i + kBlock * kLanes <= last; i += kBlock * kLanes)
            store_vectors<Wide, kBlock, kForm, false>(
                block_of<Wide, kSources, kBlock, kForm, false>(shift, x, y, z, i, 0, f).vectors, to,
                i, 0);
        }
        for (; i < last; i += kLanes)
          store_vectors<Wide, 1, kForm, false>(
              block_of<Wide, kSources, 1, kForm, false>(shift, x, y, z, i, 0, f).vectors, to, i, 0);
        const auto left = static_cast<std::size_t>(count - last);
        store_vectors<Wide, 1, kForm, true>(
            block_of<Wide, kSources, 1, kForm, true>(shift, x, y, z, last, left, f).vectors, to,
            last, left);
      } else {
        // The last one is computed first and stored last; in one loop, for f is long.
        const std::int64_t end = rows.repeats_ends ? count - kLanes : last;
        LaneBlock<Wide, 1> at_end;
        at_end.vectors[0] = hn::Zero(IntegerTag<Wide>());
        for (std::int64_t i = -kLanes; i < last; i += kLanes) {
          if constexpr (kBlock > 1) {
            for (; i >= 0 && i + kBlock * kLanes <= last; i += kBlock * kLanes)
              store_vectors<Wide, kBlock, kForm, false>(
                  block_of<Wide, kSources, kBlock, kForm, false>(shift, x, y, z, i, 0, f).vectors,
                  to, i, 0);
            if (i == last) break;
          }
          const bool is_end = i < 0;
          const auto block =
              block_of<Wide, kSources, 1, kForm, false>(shift, x, y, z, is_end ? end : i, 0, f);
          if (is_end) {
            at_end = block;
          } else {
            store_vectors<Wide, 1, kForm, false>(block.vectors, to, i, 0);
          }
        }
        store_vectors<Wide, 1, kForm, false>(at_end.vectors, to, end, 0);
      }
    }
  }
}

// The operation and what comes before the last shift; the values are then in a.
template <class Wide, IntegerOperation kOperation, int kVectors>
HWY_INLINE void before_right(const ShiftLanes<Wide>& shift, LaneBlock<Wide, kVectors>& a,
                             const LaneBlock<Wide, kVectors>& b, const LaneBlock<Wide, kVectors>& c,
                             hn::Vec<IntegerTag<Wide>> least, hn::Vec<IntegerTag<Wide>> most) {
  using Operation = IntegerOperation;
  using V = hn::Vec<IntegerTag<Wide>>;
  static_cast<void>(c);
  a.with(b, [](V x, V y) TL_INLINE_ATTR {
    static_cast<void>(y);
    if constexpr (kOperation == Operation::kAdd) return hn::Add(x, y);
    if constexpr (kOperation == Operation::kSubtract) return hn::Sub(x, y);
    if constexpr (kOperation == Operation::kMultiply) return product<Wide>(x, y);
    if constexpr (kOperation == Operation::kMaximum) return hn::Max(x, y);
    if constexpr (kOperation == Operation::kMinimum) return hn::Min(x, y);
    if constexpr (kOperation == Operation::kMultiplyPair) return hn::Add(hn::ShiftLeft<8>(x), y);
    return x;
  });
  if constexpr (kOperation == Operation::kMultiplyPair)
    a.with(c, [](V x, V y) TL_INLINE_ATTR { return product<Wide>(x, y); });
  if (shift.clamps_first)
    a.each([&](V value) TL_INLINE_ATTR { return hn::Min(hn::Max(value, least), most); });
  if (shift.left != 0)
    a.each([&](V value) TL_INLINE_ATTR { return hn::ShiftLeftSame(value, shift.left); });
  if constexpr (kOperation == Operation::kMultiplyAdd) {
    auto products = b;
    products.with(c, [](V x, V y) TL_INLINE_ATTR { return product<Wide>(x, y); });
    a.with(products, [](V x, V y) TL_INLINE_ATTR { return hn::Add(x, y); });
  }
  if (shift.right != 0) shift.raise(a);
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
          clamps = steps.clamps](const ShiftLanes<Wide>& shift, auto& a, const auto& b,
                                 const auto& c) TL_INLINE_ATTR {
    before_right<Wide, kOperation>(shift, a, b, c, least, most);
    if (shift.right != 0)
      a.each([&](V value) TL_INLINE_ATTR { return hn::ShiftRightSame(value, shift.right); });
    if (clamps)
      a.each([&](V value) TL_INLINE_ATTR { return hn::Min(hn::Max(value, least), most); });
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
      const auto result_of = [&](auto is_end, std::int64_t i, std::size_t left) TL_INLINE_ATTR {
        using Lanes = PairLanes<Wide>;
        const Pairs p = Lanes::template load<T, kExtends, is_end()>(x, i, left);
        Pairs q = p;
        if constexpr (kTwo) q = Lanes::template load<T, kExtends, is_end()>(y, i, left);
        LaneBlock<Wide, 2> value(p.even, p.odd);
        const LaneBlock<Wide, 2> other(q.even, q.odd);
        before_right<Wide, kOperation>(shift, value, other, other, least, most);
        return pairs.narrowed({value.vectors[0], value.vectors[1]}, shift.right);
      };
      constexpr std::false_type kWhole;
      if constexpr (kEndsWithRows) {
        for (std::int64_t i = 0; i < last; i += kLanes)
          hn::StoreU(result_of(kWhole, i, 0), Words(), elements + i);
        const auto left = static_cast<std::size_t>(rows.count - last);
        hn::BlendedStore(result_of(std::true_type(), last, left), hn::FirstN(Words(), left),
                         Words(), elements + last);
      } else {
        auto at_end = hn::Zero(Words());
        for (std::int64_t i = -kLanes; i < last; i += kLanes) {  // as in map_rows()
          const auto result = result_of(kWhole, i < 0 ? rows.count - kLanes : i, 0);
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
}
// Whether vectors of so many elements end where rows do.
template <class Wide>
bool takes_pairs(const IntegerRows& rows) {
  constexpr auto kLanes = PairLanes<Wide>::kLanes;
  return kEndsWithRows || rows.count % kLanes == 0 || (rows.repeats_ends && rows.count >= kLanes);
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
// Whether the loop of kPairs takes all operands.
template <class Wide>
bool takes_byte_pairs(const IntegerRows& rows, int source_count) {
  if constexpr (!kTakesPairs || sizeof(Wide) != 2) return false;
  if (rows.result.form != ElementForm::kWide || rows.result.in_pairs) return false;
  bool any = false;
  for (int k = 0; k < source_count; ++k) {
    const Input& source = rows.sources[static_cast<std::size_t>(k)];
    const bool wide = source.form == ElementForm::kConstant || source.form == ElementForm::kWide;
    if (!wide && !source.in_pairs) return false;
    any = any || source.in_pairs;
  }
  return any;
}

// A loop of its own where all operands have half the lanes' width, as most have.
template <class Wide, IntegerOperation kOperation>
void compute_by_form(const IntegerSteps& steps, const IntegerRows& rows) {
  const ElementForm form = common_half(rows, steps.source_count);
  if constexpr (kTakesPairs && sizeof(Wide) == 2) {
    if (takes_byte_pairs<Wide>(rows, steps.source_count))
      return compute<Wide, kOperation, ElementForm::kPairs>(steps, rows);
  }
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
  const auto of = [=](V value, V amount) TL_INLINE_ATTR {
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
  return [of](const ShiftLanes<Wide>&, auto& values, const auto& amounts, const auto&)
             TL_INLINE_ATTR { values.with(amounts, of); };
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
