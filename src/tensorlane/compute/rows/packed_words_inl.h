// Integers of 8 and 16 bits that stand in a word of 32 each, the other bytes of which are not
// theirs: lanes are the words, and a result goes into the old word. Stores of some bytes of a
// vector take longer where there are any. Included once per vector target, as Highway's -inl.h
// files are.
#if defined(TENSORLANE_COMPUTE_ROWS_PACKED_WORDS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_PACKED_WORDS_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_PACKED_WORDS_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_PACKED_WORDS_INL_H_
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "tensorlane/compute/rows/integer_lanes_inl.h"
#include "tensorlane/compute/rows/row_parts.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr bool kTakesWords = HWY_TARGET != HWY_SCALAR;

// An element in each word from `at` on: its bits are `bits` from bit `first` on.
template <class Byte>
struct WordElements {
  Byte* at = nullptr;
  std::int64_t next = 0, block = 0;
  int first = 0, bits = 0;
  bool with_sign = false;
  bool is_constant = false;  // of a row: not in a word
};

// A frame of such elements.
struct PackedWords {
  std::int64_t count = 0, rows = 0, blocks = 0;
  std::array<WordElements<const std::byte>, 3> sources{};
  WordElements<std::byte> result{};
};

// False where the elements do not stand so.
template <class Byte>
bool find_words(Byte* at, const Places& places, Dtype dtype, WordElements<Byte>& words) {
  constexpr std::int64_t kWord = 4;
  const std::int64_t inside =
      static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(at) % kWord);
  words = {at - inside,       places.next,
           places.block,      static_cast<int>(inside) * 8,
           dtype_bits(dtype), dtype_info(dtype).is_signed};
  return places.step == kWord && places.next % kWord == 0 && places.block % kWord == 0 &&
         words.bits < 32 && words.first + words.bits <= 32;
}

// The words of a frame, in rows as long as a vector. False where some operand is of another form,
// or other threads may write into the same words.
inline bool find_packed_words(const IntegerSteps& steps, const Row& frame, PackedWords& packed) {
  constexpr std::int64_t kLanes = kIntegerLanes<std::int32_t>;
  if (!frame.owns_words || steps.by_byte != nullptr) return false;
  const Places result = Places::of_result(frame);
  if (!find_words(frame.dst, result, steps.dst, packed.result)) return false;
  bool follow = result.next == result.step * frame.count;  // one row after the other, everywhere
  for (std::size_t k = 0; k < static_cast<std::size_t>(steps.source_count); ++k) {
    const Places places = Places::of_source(frame, k);
    if (places.step == 0) {
      packed.sources[k] = {frame.src[k], places.next, places.block};
      packed.sources[k].is_constant = true;
      follow = follow && places.next == 0;
    } else if (!find_words(frame.src[k], places, steps.sources[k], packed.sources[k])) {
      return false;
    } else {
      follow = follow && places.next == places.step * frame.count;
    }
  }
  packed.count = follow ? frame.count * frame.rows : frame.count;
  packed.rows = follow ? 1 : frame.rows;
  packed.blocks = frame.blocks;
  return packed.count >= kLanes;
}

// The sums of the products of halves of words, of which those of zeros are none: the lower or the
// upper halves times some numbers, or, times one, with their signs in place of two shifts.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
constexpr bool kMultipliesHalves = true;
HWY_INLINE hn::Vec<IntegerTag<std::int32_t>> products_of_halves(
    hn::Vec<IntegerTag<std::int32_t>> a, hn::Vec<IntegerTag<std::int32_t>> b) {
  const IntegerTag<std::int32_t> d;
  const hn::Repartition<std::int16_t, IntegerTag<std::int32_t>> halves;
  auto none = hn::Zero(d);
  return hn::ReorderWidenMulAccumulate(d, hn::BitCast(halves, a), hn::BitCast(halves, b),
                                       hn::Zero(d), none);
}
#else
constexpr bool kMultipliesHalves = false;
template <class V>
HWY_INLINE V products_of_halves(V a, V /*b*/) {
  return a;
}
#endif
// One of the half from bit `first` on, none of the other.
constexpr std::int32_t one_of_half(int first) {
  return std::int32_t{1} << first;
}

// Asks for the beginnings of the next row's operands, which lie in other pages, while this one is
// computed: processors foresee what lies behind, not where another row begins.
inline void ask_for_next_row(const PackedWords& packed, int source_count, std::int64_t b,
                             std::int64_t r) {
  constexpr std::int64_t kLine = 64, kMost = 16 * kLine;
  const std::int64_t bytes = std::min(4 * packed.count, kMost);
  if (++r == packed.rows) {
    r = 0;
    if (++b == packed.blocks) return;
  }
  const auto ask = [&](const std::byte* at, std::int64_t block, std::int64_t next) {
    at += b * block + r * next;
    for (std::int64_t i = 0; i < bytes; i += kLine) hwy::Prefetch(at + i);
  };
  ask(packed.result.at, packed.result.block, packed.result.next);
  for (std::size_t k = 0; k < static_cast<std::size_t>(source_count); ++k) {
    const WordElements<const std::byte>& source = packed.sources[k];
    if (!source.is_constant) ask(source.at, source.block, source.next);
  }
}

// A source of one row in lanes.
class WordSource {
 public:
  using Words = IntegerTag<std::int32_t>;
  using V = hn::Vec<Words>;

  HWY_INLINE WordSource(const WordElements<const std::byte>& from, Dtype dtype, std::int64_t b,
                        std::int64_t r)
      : at_(from.at + b * from.block + r * from.next),
        first_(from.first),
        up_(32 - from.first - from.bits),
        down_(32 - from.bits),
        with_sign_(from.with_sign),
        is_half_(from.bits == 16),
        is_constant_(from.is_constant),
        mask_(hn::Set(Words(), kMultipliesHalves && is_half_ && with_sign_
                                   ? one_of_half(first_)
                                   : static_cast<std::int32_t>((1U << from.bits) - 1))),
        constant_(hn::Zero(Words())) {
    if (is_constant_) constant_ = hn::Set(Words(), one_element<std::int32_t>(dtype, at_));
  }
  template <int kVectors>
  HWY_INLINE void load(std::int64_t i, LaneBlock<std::int32_t, kVectors>& block) const {
    constexpr std::int64_t kLanes = kIntegerLanes<std::int32_t>;
    if (is_constant_) return block.each([this](V) TL_INLINE_ATTR { return constant_; });
    for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR {
      block.vectors[v] =
          hn::LoadU(Words(), reinterpret_cast<const std::int32_t*>(at_) + i + v * kLanes);
    });
    if (kMultipliesHalves && with_sign_ && is_half_)
      return block.each([this](V words)
                            TL_INLINE_ATTR { return products_of_halves(words, mask_); });
    if (with_sign_)
      return block.each([this](V words) TL_INLINE_ATTR {
        return hn::ShiftRightSame(hn::ShiftLeftSame(words, up_), down_);
      });
    if (first_ != 0)
      block.each([this](V words) TL_INLINE_ATTR { return hn::ShiftRightSame(words, first_); });
    block.each([this](V words) TL_INLINE_ATTR { return hn::And(words, mask_); });
  }

 private:
  const std::byte* at_;
  int first_, up_, down_;
  bool with_sign_, is_half_, is_constant_;
  V mask_, constant_;
};

template <int kSources, class F>
HWY_INLINE void map_words(const IntegerSteps& steps, const PackedWords& given, const F& f) {
  constexpr std::int64_t kLanes = kIntegerLanes<std::int32_t>;
  const IntegerTag<std::int32_t> d;
  const PackedWords packed = given;
  const ShiftLanes<std::int32_t> shift(steps.shift);
  const int first = packed.result.first;
  const auto mask = static_cast<std::int32_t>(((1U << packed.result.bits) - 1) << first);
  const auto ours = hn::Set(d, mask);
  const bool is_lower = packed.result.bits == 16 && first == 0;
  for (std::int64_t b = 0; b < packed.blocks; ++b) {
    for (std::int64_t r = 0; r < packed.rows; ++r) {
      ask_for_next_row(packed, kSources, b, r);
      const auto source = [&](std::size_t k) HWY_ATTR {
        return WordSource(packed.sources[k], steps.sources[k], b, r);
      };
      const WordSource x = source(0), y = source(kSources > 1 ? 1 : 0),
                       z = source(kSources > 2 ? 2 : 0);
      auto* const to = reinterpret_cast<std::int32_t*>(packed.result.at + b * packed.result.block +
                                                       r * packed.result.next);
      const std::int64_t last = (packed.count - 1) / kLanes * kLanes;
      const auto words_at = [&](auto vectors, std::int64_t at) TL_INLINE_ATTR {
        LaneBlock<std::int32_t, vectors()> p;
        x.load(at, p);
        auto q = p, s = p;
        if constexpr (kSources > 1) y.load(at, q);
        if constexpr (kSources > 2) z.load(at, s);
        f(shift, p, q, s);
        if (first != 0)
          p.each([first](auto value) TL_INLINE_ATTR { return hn::ShiftLeftSame(value, first); });
        if constexpr (kTakesWords) {
          if (is_lower) {
            const hn::Repartition<std::int16_t, IntegerTag<std::int32_t>> halves;
            for_each_vector<vectors()>([&](auto v) TL_INLINE_ATTR {
              const auto old = hn::BitCast(halves, hn::LoadU(d, to + at + v * kLanes));
              p.vectors[v] = hn::BitCast(d, hn::OddEven(old, hn::BitCast(halves, p.vectors[v])));
            });
            return p;
          }
        }
        for_each_vector<vectors()>([&](auto v) TL_INLINE_ATTR {
          const auto old = hn::LoadU(d, to + at + v * kLanes);
          p.vectors[v] = hn::IfVecThenElse(ours, p.vectors[v], old);
        });
        return p;
      };
      constexpr int kBlock = HWY_TARGET <= HWY_AVX3 ? 4 : kLaneBlock<kSources>;
      constexpr std::integral_constant<int, 1> kOne;
      auto at_end = hn::Zero(d);
      for (std::int64_t i = -kLanes; i < last; i += kLanes) {  // as in map_rows()
        if constexpr (kBlock > 1) {
          for (; i >= 0 && i + kBlock * kLanes <= last; i += kBlock * kLanes)
            store_block<IntegerTag<std::int32_t>, kBlock>(
                words_at(std::integral_constant<int, kBlock>(), i).vectors, to + i);
          if (i == last) break;
        }
        const auto word = words_at(kOne, i < 0 ? packed.count - kLanes : i).vectors[0];
        if (i < 0) {
          at_end = word;
        } else {
          hn::StoreU(word, d, to + i);
        }
      }
      hn::StoreU(at_end, d, to + (packed.count - kLanes));
    }
  }
}

// At which ends results may lie outside what the destination holds.
enum class Ends : std::uint8_t { kNone, kUpper, kBoth };

// What comes of sources that are not shifted to the left, rounded by what is added alone: most do,
// and each question that formula_of() asks takes as long as the arithmetic here.
template <IntegerOperation kOperation, Ends kEnds>
HWY_INLINE auto plain_formula_of(const IntegerSteps& steps) {
  using Operation = IntegerOperation;
  using V = hn::Vec<IntegerTag<std::int32_t>>;
  const auto set = [](std::int64_t number)
                       HWY_ATTR { return ShiftLanes<std::int32_t>::set(number); };
  return [base = set(steps.shift.base), least = set(steps.least), most = set(steps.most),
          right = steps.shift.right](const ShiftLanes<std::int32_t>&, auto& a, const auto& b,
                                     const auto& c) TL_INLINE_ATTR {
    if constexpr (kOperation == Operation::kMultiplyAdd) {
      auto products = b;
      products.with(c, [](V x, V y) TL_INLINE_ATTR { return hn::Mul(x, y); });
      a.with(products, [](V x, V y) TL_INLINE_ATTR { return hn::Add(x, y); });
    }
    if constexpr (kOperation == Operation::kMultiplyPair) {
      a.with(b, [](V x, V y) TL_INLINE_ATTR { return hn::Add(hn::ShiftLeft<8>(x), y); });
      a.with(c, [](V x, V y) TL_INLINE_ATTR { return hn::Mul(x, y); });
    }
    a.with(b, [&](V x, V y) TL_INLINE_ATTR {
      static_cast<void>(y);
      if constexpr (kOperation == Operation::kAdd) x = hn::Add(x, y);
      if constexpr (kOperation == Operation::kSubtract) x = hn::Sub(x, y);
      if constexpr (kOperation == Operation::kMultiply) x = hn::Mul(x, y);
      if constexpr (kOperation == Operation::kMaximum) x = hn::Max(x, y);
      if constexpr (kOperation == Operation::kMinimum) x = hn::Min(x, y);
      x = hn::ShiftRightSame(hn::Add(x, base), right);
      if constexpr (kEnds == Ends::kBoth) x = hn::Max(x, least);
      if constexpr (kEnds != Ends::kNone) x = hn::Min(x, most);
      return x;
    });
  };
}

// The larger or smaller of halves of words that stand where the result does: whole words are
// compared, half by half, and one half of each goes into the result.
template <class T, bool kLarger>
void compare_halves(const IntegerSteps& steps, const PackedWords& given) {
  constexpr int kBlock = HWY_TARGET <= HWY_AVX2 ? 4 : 1;
  constexpr std::integral_constant<int, 1> kOne;
  constexpr std::int64_t kLanes = kIntegerLanes<std::int32_t>;
  const IntegerTag<std::int32_t> d;
  const hn::Repartition<T, IntegerTag<std::int32_t>> halves;
  const PackedWords packed = given;
  const bool is_lower = packed.result.first == 0;
  for (std::int64_t b = 0; b < packed.blocks; ++b) {
    for (std::int64_t r = 0; r < packed.rows; ++r) {
      ask_for_next_row(packed, 2, b, r);
      const auto at = [&](std::size_t k) {
        const WordElements<const std::byte>& source = packed.sources[k];
        return source.at + b * source.block + r * source.next;
      };
      const auto number = [&](std::size_t k) HWY_ATTR {
        if (!packed.sources[k].is_constant) return hn::Zero(halves);
        return hn::Set(halves, static_cast<T>(one_element<std::int32_t>(steps.sources[k], at(k))));
      };
      const bool x_moves = !packed.sources[0].is_constant, y_moves = !packed.sources[1].is_constant;
      const auto *const x = at(0), *const y = at(1);
      const auto x_all = number(0), y_all = number(1);
      auto* const to = reinterpret_cast<std::int32_t*>(packed.result.at + b * packed.result.block +
                                                       r * packed.result.next);
      const auto load = [&](const std::byte* from, std::int64_t i) TL_INLINE_ATTR {
        return hn::BitCast(halves, hn::LoadU(d, reinterpret_cast<const std::int32_t*>(from) + i));
      };
      const auto words_at = [&](auto vectors, std::int64_t i) TL_INLINE_ATTR {
        LaneBlock<std::int32_t, vectors()> result;
        for_each_vector<vectors()>([&](auto v) TL_INLINE_ATTR {
          const std::int64_t word = i + v() * kLanes;
          const auto p = x_moves ? load(x, word) : x_all, q = y_moves ? load(y, word) : y_all;
          const auto best = kLarger ? hn::Max(p, q) : hn::Min(p, q);
          const auto old = hn::BitCast(halves, hn::LoadU(d, to + word));
          result.vectors[v] =
              hn::BitCast(d, is_lower ? hn::OddEven(old, best) : hn::OddEven(best, old));
        });
        return result;
      };
      const std::int64_t end = packed.count - kLanes;
      const auto at_end = words_at(kOne, end);  // as in map_rows()
      std::int64_t i = 0;
      if constexpr (kBlock > 1) {
        constexpr std::integral_constant<int, kBlock> kSome;
        for (; i + kBlock * kLanes <= packed.count; i += kBlock * kLanes)
          store_block<IntegerTag<std::int32_t>, kBlock>(words_at(kSome, i).vectors, to + i);
      }
      for (; i < end; i += kLanes) hn::StoreU(words_at(kOne, i).vectors[0], d, to + i);
      hn::StoreU(at_end.vectors[0], d, to + end);
    }
  }
}
// False where they stand otherwise.
template <bool kLarger>
bool compare_packed_words(const IntegerSteps& steps, const PackedWords& packed) {
  if (packed.result.bits != 16 || steps.shift.left != 0 || steps.shift.right != 0) return false;
  for (std::size_t k = 0; k < 2; ++k) {
    const bool stays =
        packed.sources[k].is_constant || packed.sources[k].first == packed.result.first;
    if (steps.sources[k] != steps.dst || !stays) return false;
  }
  steps.dst == Dtype::kInt16 ? compare_halves<std::int16_t, kLarger>(steps, packed)
                             : compare_halves<std::uint16_t, kLarger>(steps, packed);
  return true;
}

// Of a command, where a source may be the same number for all.
inline Ends open_ends(const IntegerSteps& steps, const PackedWords& packed) {
  using Operation = IntegerOperation;
  if (!steps.clamps) return Ends::kNone;
  const bool adds = steps.operation == Operation::kAdd;
  if (!adds && steps.operation != Operation::kSubtract) return Ends::kBoth;
  std::array<IntegerRange, 2> ranges;
  for (std::size_t k = 0; k < 2; ++k) {
    const WordElements<const std::byte>& source = packed.sources[k];
    ranges[k] = integer_range(steps.sources[k]);
    if (!source.is_constant || source.next != 0 || source.block != 0) continue;
    const std::int64_t number = one_element<std::int32_t>(steps.sources[k], source.at);
    ranges[k] = {number, number};
  }
  const auto [a, b] = ranges;
  const auto after = [&](std::int64_t value) {
    return (value + steps.shift.base) >> steps.shift.right;
  };
  if (after(adds ? a.min + b.min : a.min - b.max) < steps.least) return Ends::kBoth;
  return after(adds ? a.max + b.max : a.max - b.min) > steps.most ? Ends::kUpper : Ends::kNone;
}

template <IntegerOperation kOperation>
void compute_words(const IntegerSteps& steps, const PackedWords& packed) {
  constexpr int kSources = sources_of(kOperation);
  const IntegerShift& shift = steps.shift;
  if (shift.left != 0 || shift.even != 0 || shift.negative != 0)
    return map_words<kSources>(steps, packed, formula_of<std::int32_t, kOperation>(steps));
  constexpr bool kSums =
      kOperation == IntegerOperation::kAdd || kOperation == IntegerOperation::kSubtract;
  const Ends ends = open_ends(steps, packed);
  if (ends == Ends::kNone)
    return map_words<kSources>(steps, packed, plain_formula_of<kOperation, Ends::kNone>(steps));
  if constexpr (kSums) {
    if (ends == Ends::kUpper)
      return map_words<kSources>(steps, packed, plain_formula_of<kOperation, Ends::kUpper>(steps));
  }
  map_words<kSources>(steps, packed, plain_formula_of<kOperation, Ends::kBoth>(steps));
}

// Values by the low byte of amounts, without rounding, where lanes that are shifted by more than
// their bits, or by a negative number, which counts as one, are zeros, or signs.
#if HWY_TARGET <= HWY_AVX2
constexpr bool kShiftsBeyondLanes = true;
inline void shift_words_by_byte(const IntegerSteps& steps, const PackedWords& packed) {
  using V = hn::Vec<IntegerTag<std::int32_t>>;
  map_words<2>(steps, packed,
               [](const ShiftLanes<std::int32_t>&, auto& values, const auto& amounts, const auto&)
                   TL_INLINE_ATTR {
                     values.with(amounts, [](V value, V amount) TL_INLINE_ATTR {
                       const V up = hn::ShiftRight<24>(hn::ShiftLeft<24>(amount));
                       return hn::IfNegativeThenElse(up, hn::Shr(value, hn::Neg(up)),
                                                     hn::Shl(value, up));
                     });
                   });
}
#else
constexpr bool kShiftsBeyondLanes = false;
inline void shift_words_by_byte(const IntegerSteps&, const PackedWords&) {}
#endif

template <bool kByByte>
void shift_packed_words(const IntegerSteps& steps, const PackedWords& packed) {
  using Word = std::int32_t;
  if (steps.rounding.rounds())
    return map_words<2>(steps, packed, shift_formula_of<Word, true, kByByte>(steps));
  if constexpr (kByByte && kShiftsBeyondLanes) return shift_words_by_byte(steps, packed);
  map_words<2>(steps, packed, shift_formula_of<Word, false, kByByte>(steps));
}

// The first of some operations that is the one; false where it is none of them.
template <IntegerOperation... kOperations>
bool run_one_of(const IntegerSteps& steps, const PackedWords& packed) {
  const auto run = [&]<IntegerOperation kOperation>() {
    if (steps.operation != kOperation) return false;
    compute_words<kOperation>(steps, packed);
    return true;
  };
  return (run.template operator()<kOperations>() || ...);
}

inline bool run_words(const IntegerSteps& steps, const PackedWords& packed) {
  using Operation = IntegerOperation;
  if constexpr (kTakesWords) {
    if (steps.operation == Operation::kMaximum && compare_packed_words<true>(steps, packed))
      return true;
    if (steps.operation == Operation::kMinimum && compare_packed_words<false>(steps, packed))
      return true;
  }
  if (steps.operation == Operation::kShift) {
    shift_packed_words<false>(steps, packed);
    return true;
  }
  if (steps.operation == Operation::kShiftByByte) {
    shift_packed_words<true>(steps, packed);
    return true;
  }
  return run_one_of<Operation::kAdd, Operation::kSubtract, Operation::kMultiply,
                    Operation::kMultiplyAdd, Operation::kFirst, Operation::kMultiplyPair,
                    Operation::kMaximum, Operation::kMinimum>(steps, packed);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_PACKED_WORDS_INL_H_
