#include "tensorlane/compute/rows/word_integers.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/integer_steps.h"
#include "tensorlane/compute/rows/integer_vectors.h"
#include "tensorlane/compute/rows/word_functions.h"
#include "tensorlane/compute/rows/word_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/word_integers.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/packed_words_inl.h"
#include "tensorlane/compute/rows/short_steps_inl.h"
#include "tensorlane/compute/rows/word_lanes_inl.h"

// What the vectors of every instruction set share.
#ifndef TENSORLANE_COMPUTE_ROWS_WORD_INTEGERS_SHAPE
#define TENSORLANE_COMPUTE_ROWS_WORD_INTEGERS_SHAPE
namespace tensorlane {

// Bytes, in which of the operands of a row, or a constant.
struct ByteSource {
  std::size_t operand = 0;
  bool is_constant = false, is_signed = false;
  std::int16_t constant = 0;
};
// A rule and the operands of a row: bytes, then the result. The sum of kMultiplyAdd, source 0, is
// the result itself.
struct WordRule {
  IntegerSteps steps;
  IntegerLanes lanes = IntegerLanes::kInt16;
  std::array<ByteSource, 3> sources{};
  std::size_t result = 0;
};
using RunWordRule = void (*)(const WordRule&, const WordRow&);

}  // namespace tensorlane
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// A source in lanes of 16 bits: a vector of words makes one for each pair of images.
template <class Wide, int kPairs>
class WordInput {
 public:
  HWY_INLINE WordInput(const ByteSource& source, int first_pair)
      : is_constant_(source.is_constant),
        is_signed_(source.is_signed),
        constant_(hn::Set(IntegerTag<Wide>(), static_cast<Wide>(source.constant))) {
    for_each_vector<kPairs>([&](auto p) TL_INLINE_ATTR {
      const int pair = first_pair + p();
      places_[p] = places_vector(is_signed_ ? kFromPairsUp[pair] : kFromPairs[pair]);
    });
  }
  template <int kVectors, class Access>
  HWY_INLINE void load(const Access& access, const std::byte* at, std::int64_t i,
                       LaneBlock<Wide, kVectors>& block) const {
    if (is_constant_)
      return block.each([this](hn::Vec<IntegerTag<Wide>>) TL_INLINE_ATTR { return constant_; });
    for_each_vector<kVectors / kPairs>([&](auto v) TL_INLINE_ATTR {
      const WordVec words = access.load(at, i + v() * kWordLanes);
      for_each_vector<kPairs>([&](auto p) TL_INLINE_ATTR {
        block.vectors[v * kPairs + p] = hn::BitCast(IntegerTag<Wide>(), placed(words, places_[p]));
      });
    });
    if constexpr (std::is_signed_v<Wide>) {
      if (is_signed_)
        block.each([](auto value) TL_INLINE_ATTR { return hn::ShiftRight<8>(value); });
    }
  }

 private:
  bool is_constant_, is_signed_;
  hn::Vec<IntegerTag<Wide>> constant_;
  hn::Vec<WordBytes> places_[kPairs];
};

// Which halves of a word are results.
enum class WordResult : std::uint8_t { kAll, kLower, kUpper };
template <WordResult kResult>
HWY_INLINE WordVec changed_words(WordVec old, WordVec words) {
  const WordHalves d;
  if constexpr (kResult == WordResult::kAll) return words;
  const auto before = hn::BitCast(d, old), after = hn::BitCast(d, words);
  return hn::BitCast(Words(), kResult == WordResult::kLower ? hn::OddEven(before, after)
                                                            : hn::OddEven(after, before));
}

// Result = f(a, b, c) on all rows of a frame; with kAdds a is the result as it was. What is
// computed at the end of a row is stored last: until then nothing of it changes.
template <class Wide, int kSources, bool kAdds, int kPairs, WordResult kResult, class F>
HWY_INLINE void map_word_rows(const WordRule& rule, const WordRow& given, const F& f) {
  // Vectors of words, where a word makes one of the result.
  constexpr int kBlock = kPairs == 1 && HWY_TARGET <= HWY_AVX2 ? 4 : 1;
  constexpr std::integral_constant<int, 1> kOne;
  const WordRow frame = given;
  const int first_pair = kPairs == 2 ? 0 : frame.first / 2;
  const WordInput<Wide, kPairs> x(rule.sources[0], first_pair), y(rule.sources[1], first_pair),
      z(rule.sources[2], first_pair);
  const auto begin_of = [&](std::size_t k) { return frame.at[rule.sources[k].operand]; };
  const auto step_of = [&](std::size_t k) { return frame.step[rule.sources[k].operand]; };
  const std::byte *a_at = begin_of(0), *b_at = begin_of(1), *c_at = begin_of(2);
  const std::int64_t a_step = step_of(0), b_step = step_of(1), c_step = step_of(2);
  std::byte* to = frame.at[rule.result];
  const std::int64_t to_step = frame.step[rule.result];
  const std::int64_t to_next = kPairs == 2 ? frame.next[rule.result][2] : 0;
  const std::int64_t count = frame.count, whole = count / kWordLanes * kWordLanes;
  for (std::int64_t r = 0; r < frame.rows; ++r) {
    const auto result_at = [&](auto vectors, const auto& access, std::int64_t i) TL_INLINE_ATTR {
      LaneBlock<Wide, vectors() * kPairs> a;
      if constexpr (kAdds) {
        for_each_vector<vectors() * kPairs>([&](auto v) TL_INLINE_ATTR {
          const std::int64_t word = i + v() / kPairs * kWordLanes;
          a.vectors[v] =
              hn::BitCast(IntegerTag<Wide>(), access.load(to + v() % kPairs * to_next, word));
        });
      } else {
        x.load(access, a_at, i, a);
      }
      auto b = a, c = a;
      if constexpr (kSources > 1) y.load(access, b_at, i, b);
      if constexpr (kSources > 2) z.load(access, c_at, i, c);
      f(a, b, c);
      return a;
    };
    const auto store = [&](auto vectors, const auto& access, const auto& block, std::int64_t i)
                           TL_INLINE_ATTR {
                             for_each_vector<vectors() * kPairs>([&](auto v) TL_INLINE_ATTR {
                               std::byte* const at = to + v() % kPairs * to_next;
                               const std::int64_t word = i + v() / kPairs * kWordLanes;
                               WordVec words = hn::BitCast(Words(), block.vectors[v]);
                               if constexpr (kResult != WordResult::kAll)
                                 words = changed_words<kResult>(access.load(at, word), words);
                               access.store(words, at, word);
                             });
                           };
    const auto compute = [&](auto vectors, const auto& access, std::int64_t i) TL_INLINE_ATTR {
      store(vectors, access, result_at(vectors, access, i), i);
    };
    constexpr WholeWords kWhole;
    const auto compute_whole = [&]() TL_INLINE_ATTR {
      std::int64_t i = 0;
      if constexpr (kBlock > 1) {
        for (; i + kBlock * kWordLanes <= whole; i += kBlock * kWordLanes)
          compute(std::integral_constant<int, kBlock>(), kWhole, i);
      }
      for (; i < whole; i += kWordLanes) compute(kOne, kWhole, i);
    };
    if (whole == count) {
      compute_whole();
    } else if (whole != 0) {
      const auto end = result_at(kOne, kWhole, count - kWordLanes);
      compute_whole();
      store(kOne, kWhole, end, count - kWordLanes);
    } else if constexpr (kMasksWords) {
      compute(kOne, FirstWords(count), 0);
    }
    a_at += a_step, b_at += b_step, c_at += c_step, to += to_step;
  }
}
template <class Wide, int kSources, bool kAdds, class F>
HWY_INLINE void map_word_frame(const WordRule& rule, const WordRow& frame, const F& f) {
  using Result = WordResult;
  if (frame.images == 4)
    return map_word_rows<Wide, kSources, kAdds, 2, Result::kAll>(rule, frame, f);
  if (frame.images == 2)
    return map_word_rows<Wide, kSources, kAdds, 1, Result::kAll>(rule, frame, f);
  frame.first % 2 == 0 ? map_word_rows<Wide, kSources, kAdds, 1, Result::kLower>(rule, frame, f)
                       : map_word_rows<Wide, kSources, kAdds, 1, Result::kUpper>(rule, frame, f);
}

// Sums, differences and products that their lanes hold, rounded by what is added alone.
template <class Wide, IntegerOperation kOperation>
void run_held(const WordRule& rule, const WordRow& frame) {
  using Operation = IntegerOperation;
  using V = hn::Vec<IntegerTag<Wide>>;
  const IntegerSteps& steps = rule.steps;
  const auto set = [](std::int64_t value) HWY_ATTR { return ShiftLanes<Wide>::set(value); };
  const V base = set(steps.shift.base), least = set(steps.least), most = set(steps.most);
  const int right = steps.shift.right;
  const bool clamps = steps.clamps;
  map_word_frame<Wide, 2, false>(
      rule, frame, [&](auto& a, const auto& b, const auto&) TL_INLINE_ATTR {
        a.with(b, [&](V x, V y) TL_INLINE_ATTR {
          if constexpr (kOperation == Operation::kAdd) x = hn::Add(x, y);
          if constexpr (kOperation == Operation::kSubtract) x = hn::Sub(x, y);
          if constexpr (kOperation == Operation::kMultiply) x = hn::Mul(x, y);
          return hn::ShiftRightSame(hn::Add(x, base), right);
        });
        if (clamps) a.each([&](V x) TL_INLINE_ATTR { return hn::Min(hn::Max(x, least), most); });
      });
}

// Of one image with signs, whose sums have the whole word.
template <WordResult kResult>
void run_sums_in_words(const WordRule& rule, const WordRow& frame) {
  constexpr int kFirst = kResult == WordResult::kLower ? 0 : 16;
  using V = hn::Vec<IntegerTag<std::int16_t>>;
  const IntegerSteps& steps = rule.steps;
  const auto set = [](std::int64_t number)
                       HWY_ATTR { return ShiftLanes<std::int32_t>::set(number); };
  const WordVec base = set(steps.shift.base), least = set(steps.least), most = set(steps.most);
  const WordVec one = set(one_of_half(kFirst)), half = set(0xffff << kFirst);
  const int right = steps.shift.right;
  const bool clamps = steps.clamps;
  map_word_rows<std::int16_t, 3, true, 1, kResult>(
      rule, frame, [&](auto& a, const auto& b, const auto& c) TL_INLINE_ATTR {
        auto products = b;
        products.with(c, [&](V x, V y) TL_INLINE_ATTR {
          const WordVec factor = hn::And(hn::BitCast(Words(), y), half);
          return hn::BitCast(WordHalves(), products_of_halves(hn::BitCast(Words(), x), factor));
        });
        a.with(products, [&](V x, V y) TL_INLINE_ATTR {
          const WordVec old = products_of_halves(hn::BitCast(Words(), x), one);
          const WordVec sum = hn::Add(hn::Add(old, base), hn::BitCast(Words(), y));
          WordVec result = hn::ShiftRightSame(sum, right);
          if (clamps) result = hn::Min(hn::Max(result, least), most);
          if constexpr (kFirst != 0) result = hn::ShiftLeft<kFirst>(result);
          return hn::BitCast(WordHalves(), result);
        });
      });
}

template <bool kSigned>
void run_sums_of_products(const WordRule& rule, const WordRow& frame) {
  using V = hn::Vec<IntegerTag<std::int16_t>>;
  const IntegerShift& shift = rule.steps.shift;
  if (kMultipliesHalves && kSigned && frame.images == 1 && shift.even == 0 && shift.negative == 0) {
    return frame.first % 2 == 0 ? run_sums_in_words<WordResult::kLower>(rule, frame)
                                : run_sums_in_words<WordResult::kUpper>(rule, frame);
  }
  const SumLanes<std::int16_t, false, kSigned, kSigned> sums(rule.steps.shift, rule.steps.clamps);
  map_word_frame<std::int16_t, 3, true>(
      rule, frame, [&](auto& a, const auto& b, const auto& c) TL_INLINE_ATTR {
        auto products = b;
        products.with(c, [](V x, V y) TL_INLINE_ATTR { return hn::Mul(x, y); });
        a.with(products, [&](V x, V y) TL_INLINE_ATTR { return sums(x, y); });
      });
}

template <FactorSigns kSigns>
void run_products_of_parts(const WordRule& rule, const WordRow& frame) {
  using Products = ShortProducts<kSigns>;
  using V = typename Products::V;
  const Products products(rule.steps);
  const ShiftLanes<typename Products::Word> shift(rule.steps.shift);
  map_word_frame<std::int16_t, 3, false>(
      rule, frame, [&](auto& a, const auto& b, const auto& c) TL_INLINE_ATTR {
        a.with(b, [](V high, V low) TL_INLINE_ATTR { return hn::Or(hn::ShiftLeft<8>(high), low); });
        products(shift, a, c);
      });
}

RunWordRule find_run_in_lanes(const WordRule& rule) {
  using Operation = IntegerOperation;
  switch (rule.lanes) {
    case IntegerLanes::kInt16:
      if (rule.steps.operation == Operation::kAdd) return run_held<std::int16_t, Operation::kAdd>;
      return rule.steps.operation == Operation::kSubtract
                 ? run_held<std::int16_t, Operation::kSubtract>
                 : run_held<std::int16_t, Operation::kMultiply>;
    case IntegerLanes::kUint16:
      return run_held<std::uint16_t, Operation::kMultiply>;
    case IntegerLanes::kSums16:
      return dtype_info(rule.steps.dst).is_signed ? run_sums_of_products<true>
                                                  : run_sums_of_products<false>;
    default:
      if (rule.sources[0].is_signed) return run_products_of_parts<FactorSigns::kBoth>;
      return rule.sources[2].is_signed ? run_products_of_parts<FactorSigns::kSecond>
                                       : run_products_of_parts<FactorSigns::kNone>;
  }
}

// Without masks, rows of fewer words than a vector has one by one.
void run_in_words(RunWordRule run, const WordRule& rule, const WordRow& frame) {
  if (kMasksWords || frame.count >= kWordLanes) return run(rule, frame);
  const ShortRow shape{rule.result + 1, 1U << rule.result};
  each_word_row(frame, [&](const WordRow& given) {
    run_short_row(given, shape, [&](const WordRow& row) { run(rule, row); });
  });
}
WordFunction find_word_function(const WordRule& rule) {
  return [rule, run = find_run_in_lanes(rule)](const WordRow& frame) {
    run_in_words(run, rule, frame);
  };
}
#else
WordFunction find_word_function(const WordRule&) {
  return {};
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_word_function);

WordFunction word_function(const WordRule& rule) {
  return HWY_DYNAMIC_DISPATCH(find_word_function)(rule);
}

}  // namespace
}  // namespace simd

namespace {

using Operation = IntegerOperation;

// Whether the lanes are those of run_held() and the like, and its rounding is.
bool computes(const IntegerRule& rule, IntegerLanes lanes) {
  const IntegerShift shift = integer_shift(rule);
  if (rule.left != 0) return false;
  const bool adds = shift.even == 0 && shift.negative == 0;
  switch (rule.operation) {
    case Operation::kAdd:
    case Operation::kSubtract:
      return adds && lanes == IntegerLanes::kInt16;
    case Operation::kMultiply:
      return adds && (lanes == IntegerLanes::kInt16 || lanes == IntegerLanes::kUint16);
    case Operation::kMultiplyAdd:
      return lanes == IntegerLanes::kSums16;
    case Operation::kMultiplyPair:
      return lanes == IntegerLanes::kProducts16 || lanes == IntegerLanes::kUnsignedProducts16;
    default:
      return false;
  }
}

std::int16_t constant_of(std::uint32_t bits, Dtype dtype) {
  if (dtype == Dtype::kInt8) return static_cast<std::int8_t>(bits);
  return static_cast<std::uint8_t>(bits);
}

bool has_shorts(const Layout& layout) {
  return layout.dtype() == Dtype::kInt16 || layout.dtype() == Dtype::kUint16;
}

// The rule of a call, and the operands of its rows.
struct WordCall {
  WordRule rule;
  std::vector<std::string_view> names;
};
std::optional<WordCall> word_call(const Command& command, std::string_view dst,
                                  const std::vector<SourceParam>& sources,
                                  const IntegerRule& rule) {
  const Layout& result = command.find(dst)->layout;
  // Of one image half of each product would be computed for nothing.
  if (rule.operation == Operation::kMultiplyPair && result.extent(0) == 1) return {};
  WordCall call;
  std::array<Dtype, 3> types{};
  for (std::size_t k = 0; k < sources.size(); ++k) {
    types[k] = type_of(command, sources[k]);
    if (k == 0 && rule.operation == Operation::kMultiplyAdd) continue;
    if (types[k] != Dtype::kInt8 && types[k] != Dtype::kUint8) return {};
    ByteSource& source = call.rule.sources[k];
    source.is_signed = types[k] == Dtype::kInt8;
    source.is_constant = command.find(sources[k].param) == nullptr;
    if (source.is_constant) {
      source.constant = constant_of(constant_bits(command, sources[k].param), types[k]);
    } else {
      source.operand = call.names.size();
      call.names.push_back(sources[k].param);
    }
  }
  if (call.names.empty()) return {};
  call.rule.result = call.names.size();
  call.names.push_back(dst);
  const std::span<const Dtype> of_sources(types.data(), sources.size());
  const unsigned lanes = lanes_that_hold(rule, of_sources, result.dtype());
  if (lanes == 0 || !computes(rule, first_lanes(lanes))) return {};
  call.rule.lanes = first_lanes(lanes);
  call.rule.steps = integer_steps(rule, of_sources, result.dtype(), call.rule.lanes);
  return call;
}

}  // namespace

std::vector<Implementation> words_before(std::vector<Implementation> rest, std::string_view dst,
                                         const std::vector<SourceParam>& sources,
                                         const IntegerRuleOf& rule) {
  const auto words = [=](const Invocation& invocation) {
    const Command& command = invocation.command;
    if (!has_shorts(command.find(dst)->layout)) return false;
    if (run_known_word_rows(invocation)) return true;
    const std::optional<WordCall> call = word_call(command, dst, sources, rule(command));
    if (!call) return false;
    const WordFunction function = simd::word_function(call->rule);
    return function && run_word_rows(invocation, call->names, [&] { return function; });
  };
  return in_words(words, std::move(rest));
}

}  // namespace tensorlane
#endif  // HWY_ONCE
