// Rows of packed words (word_rows.h) in vectors: each lane is a word of 32 bits, whose bytes and
// halves are elements of images. Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_WORD_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_WORD_LANES_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_WORD_LANES_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_WORD_LANES_INL_H_
#endif

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/vector_blocks_inl.h"
#include "tensorlane/compute/rows/word_rows.h"

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

// Whole vectors of words; and the first words of one alone, where masks keep from all others.
struct WholeWords {
  HWY_INLINE WordVec load(const std::byte* at, std::int64_t i) const { return load_words(at, i); }
  HWY_INLINE void store(WordVec words, std::byte* at, std::int64_t i) const {
    store_words(words, at, i);
  }
};
constexpr bool kMasksWords = HWY_TARGET <= HWY_AVX2;
class FirstWords {
 public:
  HWY_INLINE explicit FirstWords(std::int64_t count)
      : mask_(hn::FirstN(Words(), static_cast<std::size_t>(count))) {}
  HWY_INLINE WordVec load(const std::byte* at, std::int64_t i) const {
    return hn::MaskedLoad(mask_, Words(), reinterpret_cast<const std::int32_t*>(at) + i);
  }
  HWY_INLINE void store(WordVec words, std::byte* at, std::int64_t i) const {
    hn::BlendedStore(words, mask_, Words(), reinterpret_cast<std::int32_t*>(at) + i);
  }

 private:
  hn::Mask<Words> mask_;
};

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

// Calls f(row) for each row of a frame, alone.
template <class F>
HWY_INLINE void each_word_row(const WordRow& frame, const F& f) {
  WordRow row = frame;
  row.rows = 1;
  for (std::int64_t r = 0; r < frame.rows; ++r) {
    f(row);
    for (std::size_t k = 0; k < row.at.size(); ++k) row.at[k] += frame.step[k];
  }
}

// Rows of fewer words than a vector has, in memory of their own: of so many operands, of which
// those are results whose bits are set.
struct ShortRow {
  std::size_t operands;
  unsigned results;
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
  own.rows = 1;
  each_word([&](std::size_t k, std::size_t i, std::size_t first) {
    own.at[k] = words[k][0];
    own.next[k][i] = words[k][first] - words[k][0];
    if (first == i) std::memcpy(words[k][i], row.at[k] + row.next[k][i], bytes);
  });
  f(own);
  each_word([&](std::size_t k, std::size_t i, std::size_t first) {
    if ((shape.results >> k & 1U) != 0 && first == i)
      std::memcpy(row.at[k] + row.next[k][i], words[k][i], bytes);
  });
}

// Bytes of each word in a block of 128 bits: where those of a result come from. Pair 0 are the
// bytes of the first two images, pair 1 those of the others.
using Places = std::array<std::uint8_t, 16>;
constexpr std::uint8_t kNoByte = 128;
// The bytes of a pair in the lower (0) or upper (1) halves of lanes of 16 bits.
constexpr Places places_of_pair(int pair, int upper) {
  Places places{};
  for (int i = 0; i < 16; ++i) {
    places[static_cast<std::size_t>(i)] =
        i % 2 != upper ? kNoByte : static_cast<std::uint8_t>(i / 4 * 4 + 2 * pair + i % 4 / 2);
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
alignas(16) constexpr Places kFromPairs[2] = {places_of_pair(0, 0), places_of_pair(1, 0)};
alignas(16) constexpr Places kFromPairsUp[2] = {places_of_pair(0, 1), places_of_pair(1, 1)};
alignas(16) constexpr Places kLowToPairs[2] = {places_in_pair(0, 0), places_in_pair(1, 0)};
alignas(16) constexpr Places kHighToPairs[2] = {places_in_pair(0, 1), places_in_pair(1, 1)};

HWY_INLINE hn::Vec<WordBytes> places_vector(const Places& places) {
  return hn::LoadDup128(WordBytes(), places.data());
}
HWY_INLINE WordVec placed(WordVec words, hn::Vec<WordBytes> places) {
  return hn::BitCast(Words(), hn::TableLookupBytesOr0(hn::BitCast(WordBytes(), words), places));
}
#endif

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_WORD_LANES_INL_H_
