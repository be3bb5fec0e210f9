// 2 to 4 rows zipped into one, and the way back.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/layout/strided_copy_zip.cc"  // NOLINT
#include <hwy/foreach_target.h>                                     // must come before highway.h
//
#include "tensorlane/layout/strided_copy_simd_internal.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {
namespace {

// Runs step(d, i) for vectors of elements i, i + 1, ... that cover [0, n); the last one reaches
// back over elements already done. Returns false where n is less than the smallest vector.
template <class T, class Step>
HWY_INLINE bool for_each_vector(std::int64_t n, const Step& step) {
  const auto run = [&](auto d) HWY_ATTR {
    const std::int64_t lanes = static_cast<std::int64_t>(hn::Lanes(d));
    if (n < lanes) return false;
    std::int64_t i = 0;
    for (; i + lanes <= n; i += lanes) step(d, i);
    if (i < n) step(d, n - lanes);
    return true;
  };
  return run(hn::ScalableTag<T>()) || run(hn::CappedTag<T, 16 / sizeof(T)>());
}

#if HWY_TARGET <= HWY_AVX3
constexpr bool kZipsFourRows = true;

// Four elements of four rows: a 16-byte block of the zipped row is a 4 x 4 matrix of elements, or
// of 2 or 4 of them where they are shorter than 32 bits. This order of bytes turns rows of elements
// into columns inside a 32-bit word's share of a block.
template <class T>
HWY_INLINE auto shuffle_block(hn::Vec512<std::uint32_t> v, bool zip) {
  if constexpr (sizeof(T) == 4) {
    return v;
  } else {
    const hn::Full512<std::uint8_t> d8;
    alignas(64) static constexpr std::uint8_t kZip1[16] = {0, 4, 8,  12, 1, 5, 9,  13,
                                                           2, 6, 10, 14, 3, 7, 11, 15};
    alignas(64) static constexpr std::uint8_t kZip2[16] = {0, 1, 4, 5, 8,  9,  12, 13,
                                                           2, 3, 6, 7, 10, 11, 14, 15};
    alignas(64) static constexpr std::uint8_t kUnzip2[16] = {0, 1, 8,  9,  2, 3, 10, 11,
                                                             4, 5, 12, 13, 6, 7, 14, 15};
    // The transpose of a 4 x 4 matrix is its own inverse.
    const std::uint8_t* table = sizeof(T) == 1 ? kZip1 : zip ? kZip2 : kUnzip2;
    return hn::BitCast(hn::Full512<std::uint32_t>(),
                       hn::TableLookupBytes(hn::BitCast(d8, v), hn::LoadDup128(d8, table)));
  }
}

// 128 bytes zipped from 32 bytes of each of four rows, `step` bytes apart.
template <class T>
HWY_INLINE void interleave_lines(std::byte* dst, const std::byte* src, std::int64_t step) {
  const hn::Full512<std::uint32_t> d;
  const hn::Full256<std::uint32_t> half;
  const auto row = [&](int i)
                       HWY_ATTR { return hn::LoadU(half, at<std::uint32_t>(src + i * step)); };
  const auto ab = hn::Combine(d, row(1), row(0)), cd = hn::Combine(d, row(3), row(2));
  // Words 0 to 3 of each row to blocks 0 to 3, words 4 to 7.
  alignas(64) static constexpr std::uint32_t kLow[16] = {0, 8,  16, 24, 1, 9,  17, 25,
                                                         2, 10, 18, 26, 3, 11, 19, 27};
  const auto low = hn::Load(d, kLow);
  const auto high = hn::Add(low, hn::Set(d, 4u));
  const hn::Vec512<std::uint32_t> first{_mm512_permutex2var_epi32(ab.raw, low.raw, cd.raw)};
  const hn::Vec512<std::uint32_t> second{_mm512_permutex2var_epi32(ab.raw, high.raw, cd.raw)};
  hn::StoreU(shuffle_block<T>(first, true), d, at<std::uint32_t>(dst));
  hn::StoreU(shuffle_block<T>(second, true), d, at<std::uint32_t>(dst + 64));
}

// 256 zipped bytes to 64 bytes of each of four rows, `step` bytes apart.
template <class T>
HWY_INLINE void deinterleave_lines(std::byte* dst, std::int64_t step, const std::byte* src) {
  const hn::Full512<std::uint32_t> d;
  __m512i v[4];
  for (int i = 0; i < 4; ++i) {
    v[i] = shuffle_block<T>(hn::LoadU(d, at<std::uint32_t>(src + 64 * i)), false).raw;
  }
  // Words 0 and 1 of all blocks of two vectors, words 2 and 3.
  alignas(64) static constexpr std::uint32_t kLow[16] = {0, 4, 8, 12, 16, 20, 24, 28,
                                                         1, 5, 9, 13, 17, 21, 25, 29};
  const auto low = hn::Load(d, kLow);
  const auto high = hn::Add(low, hn::Set(d, 2u));
  const __m512i ab0 = _mm512_permutex2var_epi32(v[0], low.raw, v[1]);
  const __m512i ab1 = _mm512_permutex2var_epi32(v[2], low.raw, v[3]);
  const __m512i cd0 = _mm512_permutex2var_epi32(v[0], high.raw, v[1]);
  const __m512i cd1 = _mm512_permutex2var_epi32(v[2], high.raw, v[3]);
  _mm512_storeu_si512(dst, _mm512_shuffle_i64x2(ab0, ab1, 0x44));
  _mm512_storeu_si512(dst + step, _mm512_shuffle_i64x2(ab0, ab1, 0xee));
  _mm512_storeu_si512(dst + 2 * step, _mm512_shuffle_i64x2(cd0, cd1, 0x44));
  _mm512_storeu_si512(dst + 3 * step, _mm512_shuffle_i64x2(cd0, cd1, 0xee));
}

// Four rows; the last piece reaches back over elements already done. False where n is too small.
template <class T>
bool interleave_four(std::int64_t n, std::byte* dst, const std::byte* src, std::int64_t step) {
  constexpr std::int64_t kSize = sizeof(T), kGroups = 32 / kSize;
  if (n < kGroups) return false;
  const std::int64_t last = (n - kGroups) * 4 * kSize;
  std::int64_t i = 0;
  for (; i + kGroups <= n; i += kGroups) {
    const std::byte* ahead = dst + std::min(4 * i * kSize + kWrittenAhead, last);
    prefetch_written(ahead);
    prefetch_written(ahead + kLine);
    interleave_lines<T>(dst + i * 4 * kSize, src + i * kSize, step);
  }
  if (i < n) {
    interleave_lines<T>(dst + (n - kGroups) * 4 * kSize, src + (n - kGroups) * kSize, step);
  }
  return true;
}
template <class T>
bool deinterleave_four(std::int64_t n, std::byte* dst, std::int64_t step, const std::byte* src) {
  constexpr std::int64_t kSize = sizeof(T), kGroups = 64 / kSize;
  if (n < kGroups) return false;
  const std::int64_t last = (n - kGroups) * kSize;
  std::int64_t i = 0;
  for (; i + kGroups <= n; i += kGroups) {
    const std::byte* ahead = dst + std::min(i * kSize + kWrittenAhead, last);
    for (int row = 0; row < 4; ++row) prefetch_written(ahead + row * step);
    deinterleave_lines<T>(dst + i * kSize, step, src + i * 4 * kSize);
  }
  if (i < n)
    deinterleave_lines<T>(dst + (n - kGroups) * kSize, step, src + (n - kGroups) * 4 * kSize);
  return true;
}

#else
constexpr bool kZipsFourRows = false;
template <class T>
bool interleave_four(std::int64_t, std::byte*, const std::byte*, std::int64_t) {
  return false;
}
template <class T>
bool deinterleave_four(std::int64_t, std::byte*, std::int64_t, const std::byte*) {
  return false;
}
#endif

template <class T>
void interleave_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const std::int64_t rows = tile.inner.n, n = tile.outer.n, step = tile.inner.src;
  if constexpr (kZipsFourRows && sizeof(T) < 8) {
    if (rows == 4 && interleave_four<T>(n, dst, src, step)) return;
  }
  T* to = at<T>(dst);
  const auto row_at = [&](std::int64_t row, std::int64_t i) { return at<T>(src + row * step) + i; };
  const bool done =
      rows == 2
          ? for_each_vector<T>(n,
                               [&](auto d, std::int64_t i) HWY_ATTR {
                                 hn::StoreInterleaved2(hn::LoadU(d, row_at(0, i)),
                                                       hn::LoadU(d, row_at(1, i)), d, to + 2 * i);
                               })
      : rows == 3 ? for_each_vector<T>(n,
                                       [&](auto d, std::int64_t i) HWY_ATTR {
                                         hn::StoreInterleaved3(
                                             hn::LoadU(d, row_at(0, i)), hn::LoadU(d, row_at(1, i)),
                                             hn::LoadU(d, row_at(2, i)), d, to + 3 * i);
                                       })
                  : for_each_vector<T>(n, [&](auto d, std::int64_t i) HWY_ATTR {
                      hn::StoreInterleaved4(hn::LoadU(d, row_at(0, i)), hn::LoadU(d, row_at(1, i)),
                                            hn::LoadU(d, row_at(2, i)), hn::LoadU(d, row_at(3, i)),
                                            d, to + 4 * i);
                    });
  if (done) return;
  using U = Unaligned<T>;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t row = 0; row < rows; ++row) {
      at<U>(dst)[rows * i + row].value = at<U>(src + row * step)[i].value;
    }
  }
}

template <class T>
void deinterleave_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const std::int64_t rows = tile.inner.n, n = tile.outer.n, step = tile.inner.dst;
  if constexpr (kZipsFourRows && sizeof(T) < 8) {
    if (rows == 4 && deinterleave_four<T>(n, dst, step, src)) return;
  }
  const T* from = at<T>(src);
  const auto row_at = [&](std::int64_t row, std::int64_t i) { return at<T>(dst + row * step) + i; };
  const bool done = rows == 2 ? for_each_vector<T>(n,
                                                   [&](auto d, std::int64_t i) HWY_ATTR {
                                                     hn::Vec<decltype(d)> a, b;
                                                     hn::LoadInterleaved2(d, from + 2 * i, a, b);
                                                     hn::StoreU(a, d, row_at(0, i));
                                                     hn::StoreU(b, d, row_at(1, i));
                                                   })
                    : rows == 3
                        ? for_each_vector<T>(n,
                                             [&](auto d, std::int64_t i) HWY_ATTR {
                                               hn::Vec<decltype(d)> a, b, c;
                                               hn::LoadInterleaved3(d, from + 3 * i, a, b, c);
                                               hn::StoreU(a, d, row_at(0, i));
                                               hn::StoreU(b, d, row_at(1, i));
                                               hn::StoreU(c, d, row_at(2, i));
                                             })
                        : for_each_vector<T>(n, [&](auto d, std::int64_t i) HWY_ATTR {
                            hn::Vec<decltype(d)> a, b, c, e;
                            hn::LoadInterleaved4(d, from + 4 * i, a, b, c, e);
                            hn::StoreU(a, d, row_at(0, i));
                            hn::StoreU(b, d, row_at(1, i));
                            hn::StoreU(c, d, row_at(2, i));
                            hn::StoreU(e, d, row_at(3, i));
                          });
  if (done) return;
  using U = Unaligned<T>;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t row = 0; row < rows; ++row) {
      at<U>(dst + row * step)[i].value = at<U>(src)[rows * i + row].value;
    }
  }
}

// Large copies go through a buffer in the first-level cache and from there, in whole lines, past
// the caches.
constexpr std::int64_t kStaged = 4096;  // bytes

// Elements of the outer loop before the destination reaches a line; -1 where it never does.
std::int64_t groups_to_line(const std::byte* dst, std::int64_t bytes) {
  for (std::int64_t i = 0; i < kLine; ++i) {
    if (misalignment(dst + i * bytes) == 0) return i;
  }
  return -1;
}

template <class T>
void interleave(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  constexpr std::int64_t kSize = sizeof(T);
  const std::int64_t n = tile.outer.n, group = tile.inner.n * kSize;
  const std::int64_t step = kStaged / (kLine * group) * kLine;  // groups that fill whole lines
  const std::int64_t head = tile.stream ? groups_to_line(dst, group) : -1;
  CopyTile part = tile;
  std::int64_t done = 0;
  if (head >= 0 && head + step <= n) {
    alignas(kLine) std::byte staged[kStaged];
    part.outer.n = head;
    interleave_rows<T>(part, dst, src);
    part.outer.n = step;
    done = for_each_piece(head, n, step, [&](std::int64_t i) HWY_ATTR {
      interleave_rows<T>(part, staged, src + i * kSize);
      move_piece<Store::kStream>(dst + i * group, staged, step * group);
    });
    hwy::FlushStream();
  }
  part.outer.n = n - done;
  interleave_rows<T>(part, dst + done * group, src + done * kSize);
}

template <class T>
void deinterleave(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  constexpr std::int64_t kSize = sizeof(T);
  const std::int64_t n = tile.outer.n, rows = tile.inner.n, group = rows * kSize;
  constexpr std::int64_t kPiece = kStaged / 4, kStep = kPiece / kSize;  // of one row
  const bool alike = tile.inner.dst % kLine == 0;
  const std::int64_t head = tile.stream && alike ? groups_to_line(dst, kSize) : -1;
  std::int64_t done = 0;
  if (head >= 0 && head + kStep <= n) {
    alignas(kLine) std::byte staged[kStaged];
    CopyTile part = tile;
    part.outer.n = head;
    deinterleave_rows<T>(part, dst, src);
    part.inner.dst = kPiece;
    part.outer.n = kStep;
    done = for_each_piece(head, n, kStep, [&](std::int64_t i) HWY_ATTR {
      deinterleave_rows<T>(part, staged, src + i * group);
      for (std::int64_t row = 0; row < rows; ++row) {
        move_piece<Store::kStream>(dst + row * tile.inner.dst + i * kSize, staged + row * kPiece,
                                   kPiece);
      }
    });
    hwy::FlushStream();
  }
  CopyTile rest = tile;
  rest.outer.n = n - done;
  deinterleave_rows<T>(rest, dst + done * kSize, src + done * group);
}

}  // namespace

CopyKernel find_interleave_kernel(const CopyTile& tile) {
  return find_typed(tile.bytes, interleave<std::uint8_t>, interleave<std::uint16_t>,
                    interleave<std::uint32_t>, interleave<std::uint64_t>);
}
CopyKernel find_deinterleave_kernel(const CopyTile& tile) {
  return find_typed(tile.bytes, deinterleave<std::uint8_t>, deinterleave<std::uint16_t>,
                    deinterleave<std::uint32_t>, deinterleave<std::uint64_t>);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::copy_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::copy_internal {

HWY_EXPORT(find_interleave_kernel);
HWY_EXPORT(find_deinterleave_kernel);

CopyKernel find_interleave_kernel(const CopyTile& tile) {
  return HWY_DYNAMIC_DISPATCH(find_interleave_kernel)(tile);
}
CopyKernel find_deinterleave_kernel(const CopyTile& tile) {
  return HWY_DYNAMIC_DISPATCH(find_deinterleave_kernel)(tile);
}

}  // namespace tensorlane::copy_internal
#endif  // HWY_ONCE
