// Zips of 2 and 4 rows in whole lines, for AVX-512; included once per CPU target.
#include "tensorlane/layout/strided_copy_simd_internal.h"

#if defined(TENSORLANE_LAYOUT_STRIDED_COPY_ZIP_INTERNAL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_LAYOUT_STRIDED_COPY_ZIP_INTERNAL_H_
#undef TENSORLANE_LAYOUT_STRIDED_COPY_ZIP_INTERNAL_H_
#else
#define TENSORLANE_LAYOUT_STRIDED_COPY_ZIP_INTERNAL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET <= HWY_AVX3

// Moves the bytes of every 16-byte block to the places that `table` names.
HWY_INLINE __m512i shuffle_blocks(__m512i v, const std::uint8_t* table) {
  const hn::Full512<std::uint8_t> d;
  return hn::TableLookupBytes(hn::Vec512<std::uint8_t>{v}, hn::LoadDup128(d, table)).raw;
}

template <Store kStore>
HWY_INLINE void store_line(__m512i v, std::byte* to) {
  const hn::Full512<std::uint8_t> d;
  if constexpr (kStore == Store::kStream) {
    hn::Stream(hn::Vec512<std::uint8_t>{v}, d, at<std::uint8_t>(to));
  } else {
    hn::StoreU(hn::Vec512<std::uint8_t>{v}, d, at<std::uint8_t>(to));
  }
}

// Two lines zipped from 64 bytes of each of two rows, `step` bytes apart.
template <class T, Store kStore>
HWY_INLINE void zip_two(std::byte* dst, const std::byte* src, std::int64_t step) {
  const hn::Full512<T> d;
  const auto a = hn::LoadU(d, at<T>(src)), b = hn::LoadU(d, at<T>(src + step));
  const __m512i lower = hn::InterleaveLower(d, a, b).raw;
  const __m512i upper = hn::InterleaveUpper(d, a, b).raw;
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  store_line<kStore>(_mm512_permutex2var_epi64(lower, first, upper), dst);
  store_line<kStore>(_mm512_permutex2var_epi64(lower, second, upper), dst + kLine);
}

// Two zipped lines to one line of each of two rows.
template <class T, Store kStore>
HWY_INLINE void unzip_two(std::byte* dst, std::int64_t step, const std::byte* src) {
  // Elements of row 0 of a block, then those of row 1.
  alignas(16) static constexpr std::uint8_t kOrder1[16] = {0, 2, 4, 6, 8, 10, 12, 14,
                                                           1, 3, 5, 7, 9, 11, 13, 15};
  alignas(16) static constexpr std::uint8_t kOrder2[16] = {0, 1, 4, 5, 8,  9,  12, 13,
                                                           2, 3, 6, 7, 10, 11, 14, 15};
  alignas(16) static constexpr std::uint8_t kOrder4[16] = {0, 1, 2, 3, 8,  9,  10, 11,
                                                           4, 5, 6, 7, 12, 13, 14, 15};
  const std::uint8_t* order = sizeof(T) == 1 ? kOrder1 : sizeof(T) == 2 ? kOrder2 : kOrder4;
  const __m512i a = shuffle_blocks(_mm512_loadu_si512(src), order);
  const __m512i b = shuffle_blocks(_mm512_loadu_si512(src + kLine), order);
  const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14);
  const __m512i odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
  store_line<kStore>(_mm512_permutex2var_epi64(a, even, b), dst);
  store_line<kStore>(_mm512_permutex2var_epi64(a, odd, b), dst + step);
}

// Four elements of four rows: a 16-byte block of the zipped row is a 4 x 4 matrix of elements, or
// of 2 or 4 of them where they are shorter than 32 bits. This order of bytes turns rows of elements
// into columns inside a 32-bit word's share of a block.
template <class T>
HWY_INLINE __m512i shuffle_words(__m512i v, bool zip) {
  alignas(16) static constexpr std::uint8_t kZip1[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                         2, 6, 10, 14, 3, 7, 11, 15};
  alignas(16) static constexpr std::uint8_t kZip2[16] = {0, 1, 4, 5, 8,  9,  12, 13,
                                                         2, 3, 6, 7, 10, 11, 14, 15};
  alignas(16) static constexpr std::uint8_t kUnzip2[16] = {0, 1, 8,  9,  2, 3, 10, 11,
                                                           4, 5, 12, 13, 6, 7, 14, 15};
  if constexpr (sizeof(T) == 4) return v;
  // The transpose of a 4 x 4 matrix is its own inverse.
  return shuffle_blocks(v, sizeof(T) == 1 ? kZip1 : zip ? kZip2 : kUnzip2);
}

// Two lines zipped from 32 bytes of each of four rows, `step` bytes apart.
template <class T, Store kStore>
HWY_INLINE void zip_four(std::byte* dst, const std::byte* src, std::int64_t step) {
  const hn::Full512<std::uint32_t> d;
  const hn::Full256<std::uint32_t> half;
  const auto row = [&](int i)
                       HWY_ATTR { return hn::LoadU(half, at<std::uint32_t>(src + i * step)); };
  const __m512i ab = hn::Combine(d, row(1), row(0)).raw, cd = hn::Combine(d, row(3), row(2)).raw;
  // Words 0 to 3 of each row to blocks 0 to 3, words 4 to 7.
  const __m512i low = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(4));
  const __m512i first = _mm512_permutex2var_epi32(ab, low, cd);
  const __m512i second = _mm512_permutex2var_epi32(ab, high, cd);
  store_line<kStore>(shuffle_words<T>(first, true), dst);
  store_line<kStore>(shuffle_words<T>(second, true), dst + kLine);
}

// Four zipped lines to one line of each of four rows, `step` bytes apart.
template <class T, Store kStore>
HWY_INLINE void unzip_four(std::byte* dst, std::int64_t step, const std::byte* src) {
  __m512i v[4];
  for (int i = 0; i < 4; ++i) {
    v[i] = shuffle_words<T>(_mm512_loadu_si512(src + kLine * i), false);
  }
  // Words 0 and 1 of all blocks of two vectors, words 2 and 3.
  const __m512i low = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29);
  const __m512i high = _mm512_add_epi32(low, _mm512_set1_epi32(2));
  const __m512i ab0 = _mm512_permutex2var_epi32(v[0], low, v[1]);
  const __m512i ab1 = _mm512_permutex2var_epi32(v[2], low, v[3]);
  const __m512i cd0 = _mm512_permutex2var_epi32(v[0], high, v[1]);
  const __m512i cd1 = _mm512_permutex2var_epi32(v[2], high, v[3]);
  store_line<kStore>(_mm512_shuffle_i64x2(ab0, ab1, 0x44), dst);
  store_line<kStore>(_mm512_shuffle_i64x2(ab0, ab1, 0xee), dst + step);
  store_line<kStore>(_mm512_shuffle_i64x2(cd0, cd1, 0x44), dst + 2 * step);
  store_line<kStore>(_mm512_shuffle_i64x2(cd0, cd1, 0xee), dst + 3 * step);
}

// A step of a kernel: kElements of the outer loop, which take kTo bytes each in the destination and
// kFrom in the source, so that whole lines are written. `step` is between the rows.
template <class T, int kRows>
struct Zip {
  static constexpr std::int64_t kTo = kRows * sizeof(T), kFrom = sizeof(T);
  static constexpr std::int64_t kElements = 2 * kLine / kTo;
  template <Store kStore>
  static HWY_INLINE void move(std::byte* dst, const std::byte* src, std::int64_t step) {
    if constexpr (kRows == 2) {
      zip_two<T, kStore>(dst, src, step);
    } else {
      zip_four<T, kStore>(dst, src, step);
    }
  }
  static HWY_INLINE void ask(const std::byte* dst, std::int64_t) {
    prefetch_written(dst);
    prefetch_written(dst + kLine);
  }
};
template <class T, int kRows>
struct Unzip {
  static constexpr std::int64_t kTo = sizeof(T), kFrom = kRows * sizeof(T);
  static constexpr std::int64_t kElements = kLine / kTo;
  template <Store kStore>
  static HWY_INLINE void move(std::byte* dst, const std::byte* src, std::int64_t step) {
    if constexpr (kRows == 2) {
      unzip_two<T, kStore>(dst, step, src);
    } else {
      unzip_four<T, kStore>(dst, step, src);
    }
  }
  static HWY_INLINE void ask(const std::byte* dst, std::int64_t step) {
    for (int row = 0; row < kRows; ++row) prefetch_written(dst + row * step);
  }
};

// All n elements through the caches; the last step reaches back over elements already done. False
// where n is too small.
template <class Step>
bool zip_cached(std::int64_t n, std::byte* dst, const std::byte* src, std::int64_t step) {
  constexpr std::int64_t kAhead = kWrittenAhead / Step::kTo;
  const std::int64_t last = n - Step::kElements;
  if (last < 0) return false;
  const auto move = [&](std::int64_t i) HWY_ATTR {
    Step::template move<Store::kCached>(dst + i * Step::kTo, src + i * Step::kFrom, step);
  };
  std::int64_t i = 0;
  for (; i <= last; i += Step::kElements) {
    Step::ask(dst + std::min(i + kAhead, last) * Step::kTo, step);
    move(i);
  }
  if (i < n) move(last);
  return true;
}

// Elements from `begin` on past the caches, where lines begin. Returns the first that is left.
template <class Step>
std::int64_t zip_past(std::int64_t begin, std::int64_t n, std::byte* dst, const std::byte* src,
                      std::int64_t step) {
  constexpr std::int64_t kPiece = 8 * Step::kElements;
  const auto move = [&](std::int64_t i) HWY_ATTR {
    Step::template move<Store::kStream>(dst + i * Step::kTo, src + i * Step::kFrom, step);
  };
  std::int64_t done = for_each_piece(begin, n, kPiece, [&](std::int64_t piece) HWY_ATTR {
    for (std::int64_t i = piece; i < piece + kPiece; i += Step::kElements) move(i);
  });
  for (; done + Step::kElements <= n; done += Step::kElements) move(done);
  return done;
}

// Moves n elements of each of `rows` rows, `step` bytes apart, by Zip or the way back by Unzip.
// False where there is no way for so few elements, for this number of rows or for their width.
template <template <class, int> class Step, class T>
bool zip_lines(std::int64_t rows, std::int64_t n, std::byte* dst, const std::byte* src,
               std::int64_t step) {
  if constexpr (sizeof(T) == 8) return false;
  if (rows == 2) return zip_cached<Step<T, 2> >(n, dst, src, step);
  return rows == 4 && zip_cached<Step<T, 4> >(n, dst, src, step);
}

// The same past the caches, from element `begin` on, where every row of the destination begins a
// line. Returns the first element that is left to do.
template <template <class, int> class Step, class T>
std::int64_t zip_lines_past(std::int64_t rows, std::int64_t begin, std::int64_t n, std::byte* dst,
                            const std::byte* src, std::int64_t step) {
  if constexpr (sizeof(T) == 8) return begin;
  return rows == 2   ? zip_past<Step<T, 2> >(begin, n, dst, src, step)
         : rows == 4 ? zip_past<Step<T, 4> >(begin, n, dst, src, step)
                     : begin;
}

#else

template <class T, int kRows>
struct Zip;
template <class T, int kRows>
struct Unzip;
template <template <class, int> class Step, class T>
bool zip_lines(std::int64_t, std::int64_t, std::byte*, const std::byte*, std::int64_t) {
  return false;
}
template <template <class, int> class Step, class T>
std::int64_t zip_lines_past(std::int64_t, std::int64_t begin, std::int64_t, std::byte*,
                            const std::byte*, std::int64_t) {
  return begin;
}

#endif

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::copy_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
