// Elements of 16 bits in lanes of 16 that do not hold every step (ShortSteps): sums by their
// halves, and products as words of 32 bits between two vectors of elements. Included once per
// vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_SHORT_STEPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_SHORT_STEPS_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_SHORT_STEPS_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_SHORT_STEPS_INL_H_
#endif

#include <cstdint>
#include <type_traits>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/integer_lanes_inl.h"
#include "tensorlane/compute/rows/sum_lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <bool kSigned, ElementForm kForm>
void add_products(const IntegerSteps& steps, const IntegerRows& rows) {
  using V = hn::Vec<IntegerTag<std::int16_t>>;
  const SumLanes<std::int16_t, false, kSigned, kSigned> sums(steps.shift, steps.clamps);
  map_rows<std::int16_t, 3, kForm>(
      steps, rows, [&](const auto&, auto& a, const auto& b, const auto& c) TL_INLINE_ATTR {
        auto products = b;
        products.with(c, [](V x, V y) TL_INLINE_ATTR { return hn::Mul(x, y); });
        a.with(products, [&](V x, V y) TL_INLINE_ATTR { return sums(x, y); });
      });
}

// Whether the highest bits of the first and of the second factor are signs.
enum class FactorSigns : std::uint8_t { kBoth, kSecond, kNone };

#if HWY_TARGET != HWY_SCALAR
// The lower and the upper half of each block of 128 bits are a vector of products; so are the
// elements that they become put together again.
template <FactorSigns kSigns>
class ShortProducts {
 public:
  using D = IntegerTag<std::int16_t>;
  using Bits = hn::RebindToUnsigned<D>;
  using Word = std::conditional_t<kSigns == FactorSigns::kNone, std::uint32_t, std::int32_t>;
  using Words = IntegerTag<Word>;
  using V = hn::Vec<D>;
  using W = hn::Vec<Words>;

  HWY_INLINE explicit ShortProducts(const IntegerSteps& steps)
      : clamps_(steps.clamps && dtype_bytes(steps.dst) == 1),
        is_unsigned_(dtype_bytes(steps.dst) == 2 && !dtype_info(steps.dst).is_signed),
        least_(hn::Set(D(), static_cast<std::int16_t>(steps.least))),
        most_(hn::Set(D(), static_cast<std::int16_t>(steps.most))) {}

  // The products of a and b, shifted, are then in a.
  template <int kVectors>
  HWY_INLINE void operator()(const ShiftLanes<Word>& shift, LaneBlock<std::int16_t, kVectors>& a,
                             const LaneBlock<std::int16_t, kVectors>& b) const {
    LaneBlock<Word, 2 * kVectors> words;
    for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR {
      const V low = hn::Mul(a.vectors[v], b.vectors[v]), high = upper(a.vectors[v], b.vectors[v]);
      words.vectors[2 * v] = hn::BitCast(Words(), hn::InterleaveLower(D(), low, high));
      words.vectors[2 * v + 1] = hn::BitCast(Words(), hn::InterleaveUpper(D(), low, high));
    });
    if (shift.right != 0) {
      shift.raise(words);
      words.each([&](W value) TL_INLINE_ATTR { return hn::ShiftRightSame(value, shift.right); });
    } else if constexpr (kSigns == FactorSigns::kNone) {  // else the highest bit were a sign
      words.each([](W value) TL_INLINE_ATTR { return hn::Min(value, hn::Set(Words(), 0xffff)); });
    }
    if (is_unsigned_) {
      const W half = hn::Set(Words(), 0x8000);
      words.each([&](W value) TL_INLINE_ATTR { return hn::Sub(value, half); });
      const V sign = hn::Set(D(), INT16_MIN);
      return for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR {
        a.vectors[v] = hn::Xor(elements(words.vectors[2 * v], words.vectors[2 * v + 1]), sign);
      });
    }
    for_each_vector<kVectors>([&](auto v) TL_INLINE_ATTR {
      a.vectors[v] = elements(words.vectors[2 * v], words.vectors[2 * v + 1]);
    });
    if (clamps_)
      a.each([&](V value) TL_INLINE_ATTR { return hn::Min(hn::Max(value, least_), most_); });
  }

 private:
  static HWY_INLINE V upper(V a, V b) {
    if constexpr (kSigns == FactorSigns::kNone)
      return hn::BitCast(D(), hn::MulHigh(hn::BitCast(Bits(), a), hn::BitCast(Bits(), b)));
    const V high = hn::MulHigh(a, b);
    if constexpr (kSigns == FactorSigns::kBoth) return high;
    return hn::Add(high, hn::And(hn::BroadcastSignBit(a), b));  // a counts 2^16 more where negative
  }
  static HWY_INLINE V elements(W lower, W upper) {
    const IntegerTag<std::int32_t> words;
    return hn::ReorderDemote2To(D(), hn::BitCast(words, lower), hn::BitCast(words, upper));
  }

  bool clamps_, is_unsigned_;
  V least_, most_;
};

template <IntegerOperation kOperation, FactorSigns kSigns, ElementForm kForm, int kBlock>
HWY_NOINLINE void multiply_blocks(const IntegerSteps& steps, const IntegerRows& rows) {
  using Products = ShortProducts<kSigns>;
  using Shift = ShiftLanes<typename Products::Word>;
  using V = typename Products::V;
  constexpr bool kPair = kOperation == IntegerOperation::kMultiplyPair;
  const Products products(steps);
  map_rows<std::int16_t, kPair ? 3 : 2, kForm, Shift, kBlock>(
      steps, rows, [&](const Shift& shift, auto& a, const auto& b, const auto& c) TL_INLINE_ATTR {
        if constexpr (kPair) {
          a.with(b,
                 [](V high, V low) TL_INLINE_ATTR { return hn::Or(hn::ShiftLeft<8>(high), low); });
          products(shift, a, c);
        } else {
          products(shift, a, b);
        }
      });
}

// In short rows of vectors with masks blocks of two are in the way.
template <IntegerOperation kOperation, FactorSigns kSigns, ElementForm kForm = ElementForm::kNone>
void multiply_shorts(const IntegerSteps& steps, const IntegerRows& rows) {
  constexpr bool kBlocks = HWY_TARGET <= HWY_AVX2;
  if constexpr (HWY_TARGET <= HWY_AVX3) {
    constexpr std::int64_t kFewest = 8 * kIntegerLanes<std::int16_t>;
    if (rows.count < kFewest) return multiply_blocks<kOperation, kSigns, kForm, 1>(steps, rows);
  }
  multiply_blocks<kOperation, kSigns, kForm, kBlocks ? 2 : 1>(steps, rows);
}

// Of parts that stand in pairs of bytes, as a rule.
template <FactorSigns kSigns>
void multiply_pairs(const IntegerSteps& steps, const IntegerRows& rows) {
  constexpr IntegerOperation kOperation = IntegerOperation::kMultiplyPair;
  if constexpr (kTakesPairs) {
    if (takes_byte_pairs<std::int16_t>(rows, steps.source_count))
      return multiply_shorts<kOperation, kSigns, ElementForm::kPairs>(steps, rows);
  }
  multiply_shorts<kOperation, kSigns>(steps, rows);
}

inline void multiply_shorts_of(const IntegerSteps& steps, const IntegerRows& rows) {
  constexpr IntegerOperation kOperation = IntegerOperation::kMultiply;
  if (steps.operation == kOperation) {
    return steps.short_steps == ShortSteps::kProducts
               ? multiply_shorts<kOperation, FactorSigns::kBoth>(steps, rows)
               : multiply_shorts<kOperation, FactorSigns::kNone>(steps, rows);
  }
  if (dtype_info(steps.sources[0]).is_signed)
    return multiply_pairs<FactorSigns::kBoth>(steps, rows);
  if (dtype_info(steps.sources[2]).is_signed)
    return multiply_pairs<FactorSigns::kSecond>(steps, rows);
  multiply_pairs<FactorSigns::kNone>(steps, rows);
}

template <bool kSigned>
void add_products_of(const IntegerSteps& steps, const IntegerRows& rows) {
  if constexpr (kTakesPairs) {
    if (takes_byte_pairs<std::int16_t>(rows, steps.source_count))
      return add_products<kSigned, ElementForm::kPairs>(steps, rows);
  }
  add_products<kSigned, ElementForm::kNone>(steps, rows);
}
#endif

inline void compute_short([[maybe_unused]] const IntegerSteps& steps,
                          [[maybe_unused]] const IntegerRows& rows) {
#if HWY_TARGET != HWY_SCALAR
  if (steps.short_steps != ShortSteps::kSums) return multiply_shorts_of(steps, rows);
  dtype_info(steps.dst).is_signed ? add_products_of<true>(steps, rows)
                                  : add_products_of<false>(steps, rows);
#endif
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_SHORT_STEPS_INL_H_
