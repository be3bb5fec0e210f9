// Rows of the pairs of two vectors: one source is one element for each row, the others are the same
// for all rows. What does not change stays in registers, and each row costs its own number and a
// store. Included once per vector target, as Highway's -inl.h files are.
#if defined(TENSORLANE_COMPUTE_ROWS_PAIR_LOOPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_COMPUTE_ROWS_PAIR_LOOPS_INL_H_
#undef TENSORLANE_COMPUTE_ROWS_PAIR_LOOPS_INL_H_
#else
#define TENSORLANE_COMPUTE_ROWS_PAIR_LOOPS_INL_H_
#endif

#include <algorithm>
#include <cstring>
#include <type_traits>
#include <utility>

#include "hwy/highway.h"
#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/compute/rows/pair_loops.h"
#include "tensorlane/compute/rows/unsteady_order.h"
#include "tensorlane/compute/rows/vector_blocks_inl.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::simd {
namespace HWY_NAMESPACE {

// Whether these loops pay at all, and whether any row of less than a vector is taken.
constexpr bool kTurnsRows = HWY_TARGET <= HWY_AVX2;
constexpr bool kTurnsAnyRows = HWY_TARGET <= HWY_AVX3;

// Rows of so many bytes fill vectors together.
constexpr bool pack_vectors(std::int64_t row_bytes) {
  return row_bytes == 4 || row_bytes == 8 || row_bytes == 16;
}
// Whether rows of so many bytes are taken.
constexpr bool turns_rows(std::int64_t row_bytes) {
  constexpr auto kVector = static_cast<std::int64_t>(
      hwy::HWY_NAMESPACE::MaxLanes(hwy::HWY_NAMESPACE::ScalableTag<std::uint8_t>()));
  return kTurnsRows && (kTurnsAnyRows || pack_vectors(row_bytes) || row_bytes >= kVector);
}

#if HWY_TARGET <= HWY_AVX2
// Rows of a vector and more, whose last vector ends with the row, as its elements are no source;
// or, with kMasked, of less.
template <class Tag, int kOfRow, bool kMasked, class F, int... kSource>
HWY_INLINE void turned_blocks_of(const Row& given, const F& f,
                                 std::integer_sequence<int, kSource...> /*sources*/) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<Tag>;
  using V = hn::Vec<Tag>;
  const Tag d;
  constexpr int kSources = sizeof...(kSource);
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
  // Each of them is compiled for itself; rows of one vector alone gain nothing by company.
  constexpr int kRows = kMasked ? 2 : 8;
  const Row frame = given;
  const std::int64_t next = frame.src_next[kOfRow], to_next = frame.dst_next;
  const std::int64_t count = frame.count, last = kMasked ? 0 : count - kLanes;
  const std::int64_t last_rows = frame.rows - kRows;
  const std::int64_t step[kSources] = {frame.src_step[kSource]...};
  const auto used = hn::FirstN(d, static_cast<std::size_t>(std::min(count, kLanes)));
  for (std::int64_t b = 0; b < frame.blocks; ++b) {
    const std::byte* const block[kSources] = {frame.src[kSource] + b * frame.src_block[kSource]...};
    const V constant[kSources] = {hn::Set(d, load_element<T>(block[kSource]))...};
    // Some rows at a time, so that memory is written in its order nearly; the last ones twice.
    for (std::int64_t first = 0; first < frame.rows; first += kRows) {
      const std::int64_t row = std::min(first, last_rows);
      V own[kRows];
      for_each_vector<kRows>([&](auto r) TL_INLINE_ATTR {
        own[r] = hn::Set(d, load_element<T>(block[kOfRow] + (row + r) * next));
      });
      auto* const to = reinterpret_cast<T*>(frame.dst + b * frame.dst_block + row * to_next);
      for (std::int64_t i = 0; i < count; i += kLanes) {
        const std::int64_t column = std::min(i, last);
        V src[kSources][kRows];
        V result[kRows];
        const auto enter = [&](auto k) TL_INLINE_ATTR {
          V held = constant[k];
          if (step[k] != 0) {
            const T* const at = reinterpret_cast<const T*>(block[k]) + column;
            if constexpr (kMasked) {
              held = hn::MaskedLoad(used, d, at);
            } else {
              held = hn::LoadU(d, at);
            }
          }
          for_each_vector<kRows>([&](auto r)
                                     TL_INLINE_ATTR { src[k][r] = k() == kOfRow ? own[r] : held; });
        };
        (enter(std::integral_constant<int, kSource>()), ...);
        f(std::integral_constant<int, kRows>(), src, result);
        auto* at = reinterpret_cast<std::byte*>(to + column);
        for_each_vector<kRows>([&](auto r) TL_INLINE_ATTR {
          if constexpr (kMasked) {
            hn::BlendedStore(result[r], used, d, reinterpret_cast<T*>(at));
          } else {
            hn::StoreU(result[r], d, reinterpret_cast<T*>(at));
          }
          at += to_next;
        });
      }
    }
  }
}

// The pieces of a vector, of kBytes bytes each, `next` bytes from one to the next.
template <int kBytes, class D>
HWY_INLINE void store_pieces(hwy::HWY_NAMESPACE::Vec<D> vector, D d, std::byte* to,
                             std::int64_t next) {
  namespace hn = hwy::HWY_NAMESPACE;
  constexpr int kBlock = 16;
  constexpr auto kVector = static_cast<int>(hn::MaxLanes(D()) * sizeof(hn::TFromD<D>));
  if constexpr (kVector > kBlock) {
    const hn::Half<D> half;
    store_pieces<kBytes>(hn::LowerHalf(half, vector), half, to, next);
    store_pieces<kBytes>(hn::UpperHalf(half, vector), half, to + kVector / 2 / kBytes * next, next);
  } else if constexpr (kBytes == kBlock) {
    hn::StoreU(vector, d, reinterpret_cast<hn::TFromD<D>*>(to));
  } else if constexpr (kBytes == kBlock / 2) {
    const __m128d halves =
        _mm_castsi128_pd(hn::BitCast(hn::Repartition<std::uint64_t, D>(), vector).raw);
    _mm_storel_pd(reinterpret_cast<double*>(to), halves);
    _mm_storeh_pd(reinterpret_cast<double*>(to + next), halves);
  } else {
    const hn::Repartition<std::uint32_t, D> words;
    for_each_vector<kBlock / kBytes>([&](auto k) TL_INLINE_ATTR {
      store_element(to + k() * next, hn::ExtractLane(hn::BitCast(words, vector), k()));
    });
  }
}

// The bytes of a row over and over.
template <class Tag>
HWY_INLINE hwy::HWY_NAMESPACE::Vec<Tag> repeated_row(const std::byte* at, std::int64_t row_bytes) {
  namespace hn = hwy::HWY_NAMESPACE;
  const Tag d;
  const hn::Repartition<std::uint32_t, Tag> words;
  const hn::Repartition<std::uint64_t, Tag> long_words;
  if (row_bytes == 4) return hn::BitCast(d, hn::Set(words, load_element<std::uint32_t>(at)));
  if (row_bytes == 8) return hn::BitCast(d, hn::Set(long_words, load_element<std::uint64_t>(at)));
  return hn::LoadDup128(d, reinterpret_cast<const hn::TFromD<Tag>*>(at));
}

// Rows that pack_vectors: some make a vector. The numbers of rows are spread over as many elements
// as rows have, once for all blocks.
template <class Tag, int kOfRow, class F, int... kSource>
HWY_INLINE void packed_blocks_of(const Row& given, const F& f,
                                 std::integer_sequence<int, kSource...> /*sources*/) {
  namespace hn = hwy::HWY_NAMESPACE;
  using T = hn::TFromD<Tag>;
  using V = hn::Vec<Tag>;
  const Tag d;
  const hn::CappedTag<T, 16 / sizeof(T)> most;  // elements of a row
  constexpr int kSources = sizeof...(kSource);
  constexpr auto kLanes = static_cast<std::int64_t>(hn::MaxLanes(Tag()));
  constexpr std::int64_t kRows = 128, kMost = 16 / sizeof(T);
  const Row frame = given;
  const std::int64_t count = frame.count, together = kLanes / count, to_next = frame.dst_next;
  const std::int64_t row_bytes = count * static_cast<std::int64_t>(sizeof(T));
  HWY_ALIGN T own[kRows * kMost + kMost];
  for (std::int64_t first = 0; first < frame.rows; first += kRows) {
    // The last rows twice, where they are fewer than a vector has.
    const std::int64_t begin = std::min(first, frame.rows - together);
    const std::int64_t rows = std::min(kRows, frame.rows - begin);
    const UnsteadyPieces<kRows / 2> pieces(rows, together);
    const std::byte* number = frame.src[kOfRow] + begin * frame.src_next[kOfRow];
    for (std::int64_t r = 0; r < rows; ++r, number += frame.src_next[kOfRow])
      hn::StoreU(hn::Set(most, load_element<T>(number)), most, own + r * count);
    for (std::int64_t b = 0; b < frame.blocks; ++b) {
      const auto held_of = [&](auto k) TL_INLINE_ATTR {
        const std::byte* const at = frame.src[k] + b * frame.src_block[k];
        return frame.src_step[k] == 0 ? hn::Set(d, load_element<T>(at))
                                      : repeated_row<Tag>(at, row_bytes);
      };
      const V held[kSources] = {held_of(std::integral_constant<int, kSource>())...};
      std::byte* const to = frame.dst + b * frame.dst_block + begin * to_next;
      for (const std::int64_t row : pieces) {
        V src[kSources][1] = {
            {kSource == kOfRow ? hn::LoadU(d, own + row * count) : held[kSource]}...};
        V result[1];
        f(std::integral_constant<int, 1>(), src, result);
        std::byte* const at = to + row * to_next;
        if (row_bytes == 4) {
          store_pieces<4>(result[0], d, at, to_next);
        } else if (row_bytes == 8) {
          store_pieces<8>(result[0], d, at, to_next);
        } else {
          store_pieces<16>(result[0], d, at, to_next);
        }
      }
    }
  }
}
#endif

// Of the two sources that may have an element for each row, those that are added or compared, the
// one that has; -1 where the rows of a frame are not those of pairs of vectors.
template <class Tag, int kSources>
HWY_INLINE int source_of_rows(const Row& frame) {
  constexpr std::int64_t kFewestRows = 8;
  if (frame.rows < kFewestRows) return -1;
  int found = -1;
  for (int k = 0; k < kSources; ++k) {
    if (frame.src_next[k] == 0) continue;
    if (k >= 2 || found >= 0 || frame.src_step[k] != 0) return -1;
    found = k;
  }
  const bool pays = std::any_of(frame.src_step.begin(), frame.src_step.begin() + kSources,
                                [](std::int64_t step) { return step != 0; });
  return pays ? found : -1;
}

#if HWY_TARGET <= HWY_AVX2
// Of a frame whose source kOfRow has an element for each row; false where no loop takes it.
template <class Tag, int kSources, int kOfRow, class F>
HWY_INLINE bool ran_pairs_of(const Row& frame, const F& f) {
  constexpr std::make_integer_sequence<int, kSources> kNumbers;
  constexpr auto kLanes = static_cast<std::int64_t>(hwy::HWY_NAMESPACE::MaxLanes(Tag()));
  constexpr std::int64_t kMostVectors = 32;
  if (frame.count > kMostVectors * kLanes) return false;
  if (frame.count >= kLanes) {
    turned_blocks_of<Tag, kOfRow, false>(frame, f, kNumbers);
    return true;
  }
  const bool packs = pack_vectors(
      frame.count * static_cast<std::int64_t>(sizeof(hwy::HWY_NAMESPACE::TFromD<Tag>)));
  if (packs && frame.rows * frame.count >= kLanes && frame.src_block[kOfRow] == 0) {
    packed_blocks_of<Tag, kOfRow>(frame, f, kNumbers);
    return true;
  }
  if constexpr (kTurnsAnyRows) turned_blocks_of<Tag, kOfRow, true>(frame, f, kNumbers);
  return kTurnsAnyRows;
}
#endif

// Whether a frame is one of pairs of vectors and is done.
template <class Tag, int kSources, PairLoops kLoops, class F>
HWY_INLINE bool ran_pairs([[maybe_unused]] const Row& frame, [[maybe_unused]] const F& f) {
#if HWY_TARGET <= HWY_AVX2
  if constexpr (kLoops != PairLoops::kNone) {
    const int of_rows = source_of_rows<Tag, kSources>(frame);
    if (of_rows < 0) return false;
    if constexpr (kLoops == PairLoops::kSymmetric) {
      Row turned = frame;
      if (of_rows == 1) swap_sources(turned, 0, 1);
      return ran_pairs_of<Tag, kSources, 0>(turned, f);
    }
    return of_rows == 0 ? ran_pairs_of<Tag, kSources, 0>(frame, f)
                        : ran_pairs_of<Tag, kSources, 1>(frame, f);
  }
#endif
  return false;
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::simd
HWY_AFTER_NAMESPACE();

#endif  // TENSORLANE_COMPUTE_ROWS_PAIR_LOOPS_INL_H_
