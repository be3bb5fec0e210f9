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

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_TARGET != HWY_SCALAR
using Words = hn::ScalableTag<std::int32_t>;
using WordBytes = hn::Repartition<std::uint8_t, Words>;
using WordHalves = hn::Repartition<std::int16_t, Words>;
using WordVec = hn::Vec<Words>;
constexpr auto kWordLanes = static_cast<std::int64_t>(hn::MaxLanes(Words()));

HWY_INLINE WordVec load_words(const std::byte* at, std::int64_t i) {
  return hn::LoadU(Words(), reinterpret_cast<const std::int32_t*>(at) + i);
}
HWY_INLINE void store_words(WordVec words, std::byte* at, std::int64_t i) {
  hn::StoreU(words, Words(), reinterpret_cast<std::int32_t*>(at) + i);
}

// The bytes of some images in each word; all of them, where they are four.
template <bool kAll>
class ImageBytes {
 public:
  HWY_INLINE explicit ImageBytes(const WordRow& row, int bits = 8)
      : mask_(hn::Set(Words(), mask_of(row, bits))) {}
  HWY_INLINE void store(WordVec words, std::byte* at, std::int64_t i) const {
    if constexpr (!kAll) {
      words = hn::Or(hn::And(mask_, words), hn::AndNot(mask_, load_words(at, i)));
    }
    store_words(words, at, i);
  }

 private:
  static std::int32_t mask_of(const WordRow& row, int bits) {
    const int in_word = 32 / bits, first = row.first % in_word;
    const int count = row.images < in_word ? row.images : in_word;
    const std::uint64_t ones = (std::uint64_t{1} << (count * bits)) - 1;
    return static_cast<std::int32_t>(static_cast<std::uint32_t>(ones << (first * bits)));
  }
  WordVec mask_;
};

// f(i) for vectors of words from word i on, the last of which ends with the row.
template <class F>
HWY_INLINE void each_vector(std::int64_t count, const F& f) {
  for (std::int64_t i = 0; i + kWordLanes <= count; i += kWordLanes) f(i);
  if (count % kWordLanes != 0) f(count - kWordLanes);
}

// Rows of fewer words than a vector has, in memory of their own: of so many operands, of which the
// first ones are results.
struct ShortRow {
  std::size_t operands, results;
};
template <class F>
HWY_NOINLINE void run_short_row(const WordRow& row, const ShortRow& shape, const F& f) {
  constexpr std::size_t kImages = 4;
  HWY_ALIGN std::byte words[kMaxFoldOperands][kImages][static_cast<std::size_t>(kWordLanes) * 4] =
      {};
  const std::size_t bytes = static_cast<std::size_t>(row.count) * 4;
  WordRow own = row;
  own.count = kWordLanes;
  const auto each_word = [&](const auto& visit) {
    for (std::size_t k = 0; k < shape.operands; ++k) {
      for (std::size_t i = 0; i < static_cast<std::size_t>(row.images); ++i) {
        std::size_t first = 0;  // of those in the same word
        while (row.next[k][first] != row.next[k][i]) ++first;
        visit(k, i, first);
      }
    }
  };
  each_word([&](std::size_t k, std::size_t i, std::size_t first) {
    own.at[k] = words[k][0];
    own.next[k][i] = words[k][first] - words[k][0];
    if (first == i) std::memcpy(words[k][i], row.at[k] + row.next[k][i], bytes);
  });
  f(own);
  each_word([&](std::size_t k, std::size_t i, std::size_t first) {
    if (k < shape.results && first == i)
      std::memcpy(row.at[k] + row.next[k][i], words[k][i], bytes);
  });
}

// Bytes of each word in a block of 128 bits: where those of a result come from. Pair 0 are the
// bytes of the first two images, pair 1 those of the others.
using Places = std::array<std::uint8_t, 16>;
constexpr std::uint8_t kNoByte = 128;
// The bytes of a pair in lanes of 16 bits, without signs.
constexpr Places places_of_pair(int pair) {
  Places places{};
  for (int i = 0; i < 16; ++i) {
    places[static_cast<std::size_t>(i)] =
        i % 2 != 0 ? kNoByte : static_cast<std::uint8_t>(i / 4 * 4 + 2 * pair + i % 4 / 2);
  }
  return places;
}
// The upper (1) or lower (0) bytes of two lanes of 16 bits as a pair.
constexpr Places places_in_pair(int pair, int upper) {
  Places places{};
  for (int i = 0; i < 16; ++i) {
    const int at = i % 4 - 2 * pair;
    places[static_cast<std::size_t>(i)] =
        at < 0 || at > 1 ? kNoByte : static_cast<std::uint8_t>(i / 4 * 4 + 2 * at + upper);
  }
  return places;
}
alignas(16) constexpr Places kFromPairs[2] = {places_of_pair(0), places_of_pair(1)};
alignas(16) constexpr Places kLowToPairs[2] = {places_in_pair(0, 0), places_in_pair(1, 0)};
alignas(16) constexpr Places kHighToPairs[2] = {places_in_pair(0, 1), places_in_pair(1, 1)};

HWY_INLINE hn::Vec<WordBytes> places_vector(const Places& places) {
  return hn::LoadDup128(WordBytes(), places.data());
}
HWY_INLINE WordVec placed(WordVec words, hn::Vec<WordBytes> places) {
  return hn::BitCast(Words(), hn::TableLookupBytesOr0(hn::BitCast(WordBytes(), words), places));
}

// Operands as multiply_words() names them.
enum ProductOperand : std::uint8_t { kHigh, kLow, kDst, kWork, kShorts, kBytes };
constexpr ShortRow kProductRow{6, 4};

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

void multiply_row(const IntegerSteps& steps, const WordRow& given) {
  if (given.count < kWordLanes)
    return run_short_row(given, kProductRow, [&](const WordRow& row) { multiply_row(steps, row); });
  const WordRow row = given;
  if (row.images == 4) {
    const WordProducts first(steps, 0), second(steps, 1);
    const auto next = [&](ProductOperand k) { return row.at[k] + row.next[k][2]; };
    return each_vector(row.count, [&](std::int64_t i) TL_INLINE_ATTR {
      const WordVec x = load_words(row.at[kShorts], i), y = load_words(next(kShorts), i);
      const WordVec factors = load_words(row.at[kBytes], i);
      store_words(hn::Or(first.high_bytes(x), second.high_bytes(y)), row.at[kHigh], i);
      store_words(hn::Or(first.low_bytes(x), second.low_bytes(y)), row.at[kLow], i);
      store_words(first.raised(x), row.at[kWork], i);
      store_words(second.raised(y), next(kWork), i);
      store_words(first.product(x, factors), row.at[kDst], i);
      store_words(second.product(y, factors), next(kDst), i);
    });
  }
  const WordProducts pair(steps, row.first / 2);
  const ImageBytes<false> bytes(row), halves(row, 16);
  each_vector(row.count, [&](std::int64_t i) TL_INLINE_ATTR {
    const WordVec x = load_words(row.at[kShorts], i);
    const WordVec factors = load_words(row.at[kBytes], i);
    bytes.store(pair.high_bytes(x), row.at[kHigh], i);
    bytes.store(pair.low_bytes(x), row.at[kLow], i);
    halves.store(pair.raised(x), row.at[kWork], i);
    halves.store(pair.product(x, factors), row.at[kDst], i);
  });
}

using MultiplyRow = void (*)(const IntegerSteps&, const WordRow&);
MultiplyRow find_multiply_row() {
  return multiply_row;
}

constexpr ShortRow kCastRow{3, 2};

template <bool kSigned, bool kAll>
void floats_of_row(const WordRow& given) {
  if (given.count < kWordLanes) return run_short_row(given, kCastRow, floats_of_row<kSigned, kAll>);
  enum Operand : std::uint8_t { kCopy, kFloats, kPacked };
  const WordRow row = given;
  const hn::RebindToFloat<Words> floats;
  const hn::RebindToUnsigned<Words> bits;
  const ImageBytes<kAll> copied(row);
  each_vector(row.count, [&](std::int64_t i) TL_INLINE_ATTR {
    const WordVec words = load_words(row.at[kPacked], i);
    copied.store(words, row.at[kCopy], i);
    for (int image = 0; image < (kAll ? 4 : row.images); ++image) {
      const WordVec up = hn::ShiftLeftSame(words, 24 - 8 * (row.first + image));
      const WordVec number = kSigned
                                 ? hn::ShiftRight<24>(up)
                                 : hn::BitCast(Words(), hn::ShiftRight<24>(hn::BitCast(bits, up)));
      std::byte* const to = row.at[kFloats] + row.next[kFloats][static_cast<std::size_t>(image)];
      store_words(hn::BitCast(Words(), hn::ConvertTo(floats, number)), to, i);
    }
  });
}

template <bool kSigned, bool kAll>
void bytes_of_row(const WordRow& given) {
  if (given.count < kWordLanes) return run_short_row(given, kCastRow, bytes_of_row<kSigned, kAll>);
  enum Operand : std::uint8_t { kPacked, kCopy, kFloats };
  const WordRow row = given;
  const hn::RebindToFloat<Words> floats;
  const ImageBytes<kAll> bytes(row);
  const auto least = hn::Set(floats, kSigned ? -128.0F : 0.0F);
  const auto most = hn::Set(floats, kSigned ? 127.0F : 255.0F);
  each_vector(row.count, [&](std::int64_t i) TL_INLINE_ATTR {
    WordVec all = hn::Zero(Words());
    for (int image = 0; image < (kAll ? 4 : row.images); ++image) {
      const std::byte* const from =
          row.at[kFloats] + row.next[kFloats][static_cast<std::size_t>(image)];
      const auto x = hn::BitCast(floats, load_words(from, i));
      // Bounds are whole: what is cut after them is what is cut before.
      const auto near = hn::Min(hn::Max(x, least), most);
      const auto end = hn::IfThenElse(
          hn::RebindMask(floats, hn::Lt(hn::BitCast(Words(), x), hn::Zero(Words()))), least, most);
      const WordVec number = hn::ConvertTo(Words(), hn::IfThenElse(hn::IsNaN(x), end, near));
      const WordVec byte = hn::And(number, hn::Set(Words(), 0xff));
      all = hn::Or(all, hn::ShiftLeftSame(byte, 8 * (row.first + image)));
    }
    bytes.store(all, row.at[kPacked], i);
    bytes.store(all, row.at[kCopy], i);
  });
}

using CastRow = void (*)(const WordRow&);
CastRow find_cast_row(bool to_floats, bool is_signed, bool all) {
  if (to_floats) {
    if (is_signed) return all ? floats_of_row<true, true> : floats_of_row<true, false>;
    return all ? floats_of_row<false, true> : floats_of_row<false, false>;
  }
  if (is_signed) return all ? bytes_of_row<true, true> : bytes_of_row<true, false>;
  return all ? bytes_of_row<false, true> : bytes_of_row<false, false>;
}
#else
using MultiplyRow = void (*)(const IntegerSteps&, const WordRow&);
MultiplyRow find_multiply_row() {
  return nullptr;
}
using CastRow = void (*)(const WordRow&);
CastRow find_cast_row(bool, bool, bool) {
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

HWY_EXPORT(find_multiply_row);
HWY_EXPORT(find_cast_row);

bool multiply_on_processor(const Invocation& invocation,
                           const std::array<std::string_view, 6>& names,
                           const IntegerSteps& steps) {
  const auto row = HWY_DYNAMIC_DISPATCH(find_multiply_row)();
  return row != nullptr &&
         run_word_rows(invocation, names, [&](const WordRow& words) { row(steps, words); });
}
bool cast_words(const Invocation& invocation, const std::array<std::string_view, 3>& names,
                bool to_floats) {
  const bool is_signed =
      dtype_info(invocation.command.find(names.front())->layout.dtype()).is_signed;
  const auto find = HWY_DYNAMIC_DISPATCH(find_cast_row);
  const auto all = find(to_floats, is_signed, true), some = find(to_floats, is_signed, false);
  return all != nullptr && run_word_rows(invocation, names, [=](const WordRow& row) {
           row.images == 4 ? all(row) : some(row);
         });
}

}  // namespace
}  // namespace simd

std::vector<Implementation> in_words(WordImplementation words, std::vector<Implementation> steps) {
  const OperandForms apart{AlongSet::all(), {Along::kSideBySide, Along::kApart}, Overlap::kNone};
  steps.insert(steps.begin(), {"words", words, apart});
  return steps;
}

bool multiply_words(const Invocation& invocation, const WordProduct& operands, int right) {
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
