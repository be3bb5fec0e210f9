#include "tensorlane/compute/rows/word_functions.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "tensorlane/base/simd_targets.h"
#include "tensorlane/compute/rows/integer_steps.h"
#include "tensorlane/compute/rows/word_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/compute/rows/word_functions.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"
#include "tensorlane/compute/rows/short_steps_inl.h"
#include "tensorlane/compute/rows/word_lanes_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
// Operands as multiply_words() names them.
enum ProductOperand : std::uint8_t { kHigh, kLow, kDst, kWork, kShorts, kBytes };
constexpr ShortRow kProductRow{6, 0b1111};

// What becomes of a pair of images: two elements of 16 bits in each word.
class WordProducts {
 public:
  HWY_INLINE WordProducts(const IntegerSteps& steps, int pair)
      : shift_(steps.shift),
        products_(steps),
        factors_(places_vector(kFromPairs[pair])),
        high_(places_vector(kHighToPairs[pair])),
        low_(places_vector(kLowToPairs[pair])) {}

  HWY_INLINE WordVec product(WordVec shorts, WordVec bytes) const {
    LaneBlock<std::int16_t, 1> a, b;
    a.vectors[0] = hn::BitCast(WordHalves(), shorts);
    b.vectors[0] = hn::BitCast(WordHalves(), placed(bytes, factors_));
    products_(shift_, a, b);
    return hn::BitCast(Words(), a.vectors[0]);
  }
  HWY_INLINE WordVec raised(WordVec shorts) const {
    return hn::BitCast(Words(), hn::ShiftLeft<8>(hn::BitCast(WordHalves(), shorts)));
  }
  HWY_INLINE WordVec high_bytes(WordVec shorts) const { return placed(shorts, high_); }
  HWY_INLINE WordVec low_bytes(WordVec shorts) const { return placed(shorts, low_); }

 private:
  const ShiftLanes<std::int32_t> shift_;
  const ShortProducts<FactorSigns::kBoth> products_;
  const hn::Vec<WordBytes> factors_, high_, low_;
};

void multiply_rows(const IntegerSteps& steps, const WordRow& frame) {
  if (frame.count < kWordLanes) {
    return each_word_row(frame, [&](const WordRow& given) {
      run_short_row(given, kProductRow, [&](const WordRow& row) { multiply_rows(steps, row); });
    });
  }
  if (frame.images == 4) {
    const WordProducts first(steps, 0), second(steps, 1);
    return each_word_row(frame, [&](const WordRow& row) TL_INLINE_ATTR {
      const auto next = [&](ProductOperand k) { return row.at[k] + row.next[k][2]; };
      each_vector(row.count, [&](std::int64_t i) TL_INLINE_ATTR {
        const WordVec x = load_words(row.at[kShorts], i), y = load_words(next(kShorts), i);
        const WordVec factors = load_words(row.at[kBytes], i);
        store_words(hn::Or(first.high_bytes(x), second.high_bytes(y)), row.at[kHigh], i);
        store_words(hn::Or(first.low_bytes(x), second.low_bytes(y)), row.at[kLow], i);
        store_words(first.raised(x), row.at[kWork], i);
        store_words(second.raised(y), next(kWork), i);
        store_words(first.product(x, factors), row.at[kDst], i);
        store_words(second.product(y, factors), next(kDst), i);
      });
    });
  }
  const WordProducts pair(steps, frame.first / 2);
  const ImageBytes<false> bytes(frame), halves(frame, 16);
  each_word_row(frame, [&](const WordRow& row) TL_INLINE_ATTR {
    each_vector(row.count, [&](std::int64_t i) TL_INLINE_ATTR {
      const WordVec x = load_words(row.at[kShorts], i);
      const WordVec factors = load_words(row.at[kBytes], i);
      bytes.store(pair.high_bytes(x), row.at[kHigh], i);
      bytes.store(pair.low_bytes(x), row.at[kLow], i);
      halves.store(pair.raised(x), row.at[kWork], i);
      halves.store(pair.product(x, factors), row.at[kDst], i);
    });
  });
}

using MultiplyRows = void (*)(const IntegerSteps&, const WordRow&);
MultiplyRows find_multiply_rows() {
  return multiply_rows;
}

constexpr ShortRow kCastRow{3, 0b11};

using CastRow = void (*)(const WordRow&);
// Of a row or of its words in memory of their own.
template <CastRow row>
void cast_rows(const WordRow& frame) {
  each_word_row(frame, [](const WordRow& given) {
    given.count < kWordLanes ? run_short_row(given, kCastRow, row) : row(given);
  });
}

// Words of images that have words of their own, and f(image) for each: for all four not in a loop,
// whose steps would take as long as what is done.
template <bool kAll>
class ImageRows {
 public:
  HWY_INLINE ImageRows(const WordRow& row, std::size_t operand)
      : first_(row.first), images_(row.images) {
    for (std::size_t image = 0; image < 4; ++image)
      at_[image] = row.at[operand] + row.next[operand][image];
  }
  HWY_INLINE std::byte* of(int image) const { return at_[image]; }
  // Bits of a word below those of the image.
  HWY_INLINE int below(int image) const { return 8 * (kAll ? image : first_ + image); }

  template <class F>
  HWY_INLINE void each(const F& f) const {
    if constexpr (kAll) {
      for_each_vector<4>(f);
    } else {
      for (int image = 0; image < images_; ++image) f(image);
    }
  }

 private:
  std::byte* at_[4];
  int first_, images_;
};

template <bool kSigned, bool kAll>
void floats_of_row(const WordRow& given) {
  enum Operand : std::uint8_t { kCopy, kFloats, kPacked };
  const WordRow row = given;
  const hn::RebindToFloat<Words> floats;
  const hn::RebindToUnsigned<Words> bits;
  const ImageBytes<kAll> copied(row);
  const ImageRows<kAll> images(row, kFloats);
  each_vector(row.count, [&](std::int64_t i) TL_INLINE_ATTR {
    const WordVec words = load_words(row.at[kPacked], i);
    copied.store(words, row.at[kCopy], i);
    images.each([&](auto image) TL_INLINE_ATTR {
      const WordVec up = hn::ShiftLeftSame(words, 24 - images.below(image));
      const WordVec number = kSigned
                                 ? hn::ShiftRight<24>(up)
                                 : hn::BitCast(Words(), hn::ShiftRight<24>(hn::BitCast(bits, up)));
      store_words(hn::BitCast(Words(), hn::ConvertTo(floats, number)), images.of(image), i);
    });
  });
}

template <bool kSigned, bool kAll>
void bytes_of_row(const WordRow& given) {
  enum Operand : std::uint8_t { kPacked, kCopy, kFloats };
  const WordRow row = given;
  const hn::RebindToFloat<Words> floats;
  const ImageBytes<kAll> bytes(row);
  const ImageRows<kAll> images(row, kFloats);
  const auto least = hn::Set(floats, kSigned ? -128.0F : 0.0F);
  const auto most = hn::Set(floats, kSigned ? 127.0F : 255.0F);
  each_vector(row.count, [&](std::int64_t i) TL_INLINE_ATTR {
    WordVec all = hn::Zero(Words());
    images.each([&](auto image) TL_INLINE_ATTR {
      const auto x = hn::BitCast(floats, load_words(images.of(image), i));
      // Bounds are whole: what is cut after them is what is cut before.
      const auto near = hn::Min(hn::Max(x, least), most);
      const auto end = hn::IfThenElse(
          hn::RebindMask(floats, hn::Lt(hn::BitCast(Words(), x), hn::Zero(Words()))), least, most);
      const WordVec number = hn::ConvertTo(Words(), hn::IfThenElse(hn::IsNaN(x), end, near));
      const WordVec byte = hn::And(number, hn::Set(Words(), 0xff));
      all = hn::Or(all, hn::ShiftLeftSame(byte, images.below(image)));
    });
    bytes.store(all, row.at[kPacked], i);
    bytes.store(all, row.at[kCopy], i);
  });
}

template <bool kSigned, bool kAll>
CastRow rows_of_cast(bool to_floats) {
  return to_floats ? cast_rows<floats_of_row<kSigned, kAll>>
                   : cast_rows<bytes_of_row<kSigned, kAll>>;
}
CastRow find_cast_rows(bool to_floats, bool is_signed, bool all) {
  if (is_signed)
    return all ? rows_of_cast<true, true>(to_floats) : rows_of_cast<true, false>(to_floats);
  return all ? rows_of_cast<false, true>(to_floats) : rows_of_cast<false, false>(to_floats);
}
#else
using MultiplyRows = void (*)(const IntegerSteps&, const WordRow&);
MultiplyRows find_multiply_rows() {
  return nullptr;
}
using CastRow = void (*)(const WordRow&);
CastRow find_cast_rows(bool, bool, bool) {
  return nullptr;
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane {
namespace simd {
namespace {

HWY_EXPORT(find_multiply_rows);
HWY_EXPORT(find_cast_rows);

bool multiply_on_processor(const Invocation& invocation,
                           const std::array<std::string_view, 6>& names,
                           const IntegerSteps& steps) {
  const auto rows = HWY_DYNAMIC_DISPATCH(find_multiply_rows)();
  return rows != nullptr && run_word_rows(invocation, names, [&]() -> WordFunction {
           return [=](const WordRow& frame) { rows(steps, frame); };
         });
}
bool cast_words(const Invocation& invocation, const std::array<std::string_view, 3>& names,
                bool to_floats) {
  if (run_known_word_rows(invocation)) return true;
  const bool is_signed =
      dtype_info(invocation.command.find(names.front())->layout.dtype()).is_signed;
  const auto find = HWY_DYNAMIC_DISPATCH(find_cast_rows);
  const auto all = find(to_floats, is_signed, true), some = find(to_floats, is_signed, false);
  return all != nullptr && run_word_rows(invocation, names, [=]() -> WordFunction {
           return [=](const WordRow& frame) { frame.images == 4 ? all(frame) : some(frame); };
         });
}

}  // namespace
}  // namespace simd

std::vector<Implementation> in_words(const WordImplementation& words,
                                     std::vector<Implementation> steps) {
  const OperandForms apart{AlongSet::all(), {Along::kSideBySide, Along::kApart}, Overlap::kNone};
  steps.insert(steps.begin(), {"words", words, apart});
  return steps;
}

bool multiply_words(const Invocation& invocation, const WordProduct& operands, int right) {
  if (run_known_word_rows(invocation)) return true;
  const std::array<std::string_view, 6> names = {operands.high, operands.low,  operands.dst,
                                                 operands.work, operands.src0, operands.src1};
  const IntegerRule rule{
      .operation = IntegerOperation::kMultiply, .right = right, .mode = RoundingMode::kHalfUp};
  const std::array<Dtype, 2> factors = {Dtype::kInt16, Dtype::kUint8};
  const unsigned lanes = lanes_that_hold(rule, factors, Dtype::kInt16);
  if ((lanes & 1U << static_cast<unsigned>(IntegerLanes::kProducts16)) == 0) return false;
  const IntegerSteps steps = integer_steps(rule, factors, Dtype::kInt16, IntegerLanes::kProducts16);
  return simd::multiply_on_processor(invocation, names, steps);
}

bool words_to_fp32(const Invocation& invocation, std::string_view dst, std::string_view src,
                   std::string_view work) {
  return simd::cast_words(invocation, {work, dst, src}, true);
}

bool fp32_to_words(const Invocation& invocation, std::string_view dst, std::string_view src,
                   std::string_view work) {
  return simd::cast_words(invocation, {dst, work, src}, false);
}

}  // namespace tensorlane
#endif  // HWY_ONCE
