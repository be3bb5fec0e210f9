// 2 to 4 rows zipped into one, and the way back.
#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/layout/strided_copy_zip.cc"  // NOLINT
#include <hwy/foreach_target.h>                                     // must come before highway.h
//
#include <hwy/cache_control.h>

#include "tensorlane/layout/strided_copy_simd_internal.h"
#include "tensorlane/layout/strided_copy_zip_internal.h"

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

template <class T>
void interleave_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const std::int64_t rows = tile.inner.n, n = tile.outer.n, step = tile.inner.src;
  if (zip_lines<Zip, T>(rows, n, dst, src, step)) return;
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
  if (zip_lines<Unzip, T>(rows, n, dst, src, step)) return;
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

// Large copies that have no way of their own past the caches go through a buffer in the first-level
// cache and from there, in whole lines, past them.
constexpr std::int64_t kStaged = 4096;  // bytes

// Elements of the outer loop before the destination reaches a line; -1 where it never does.
std::int64_t groups_to_line(const std::byte* dst, std::int64_t bytes) {
  for (std::int64_t i = 0; i < kLine; ++i) {
    if (misalignment(dst + i * bytes) == 0) return i;
  }
  return -1;
}

#if HWY_TARGET == HWY_AVX2
// Two lines of words zipped from 32 bytes of each of four rows, past the caches.
HWY_INLINE void zip_words_past(std::byte* dst, const std::byte* src, std::int64_t step) {
  const hn::Full256<std::uint32_t> d;
  const hn::Full256<std::uint64_t> d64;
  const auto row = [&](int i) HWY_ATTR { return hn::LoadU(d, at<std::uint32_t>(src + i * step)); };
  const auto a = row(0), b = row(1), c = row(2), e = row(3);
  const auto low_ab = hn::BitCast(d64, hn::InterleaveLower(d, a, b)),
             high_ab = hn::BitCast(d64, hn::InterleaveUpper(d, a, b)),
             low_ce = hn::BitCast(d64, hn::InterleaveLower(d, c, e)),
             high_ce = hn::BitCast(d64, hn::InterleaveUpper(d, c, e));
  // Elements i and i + 4 in the two halves.
  const auto first = hn::InterleaveLower(d64, low_ab, low_ce),
             second = hn::InterleaveUpper(d64, low_ab, low_ce),
             third = hn::InterleaveLower(d64, high_ab, high_ce),
             fourth = hn::InterleaveUpper(d64, high_ab, high_ce);
  auto* const to = at<std::uint64_t>(dst);
  hn::Stream(hn::ConcatLowerLower(d64, second, first), d64, to);
  hn::Stream(hn::ConcatLowerLower(d64, fourth, third), d64, to + 4);
  hn::Stream(hn::ConcatUpperUpper(d64, second, first), d64, to + 8);
  hn::Stream(hn::ConcatUpperUpper(d64, fourth, third), d64, to + 12);
}
// Elements of four words from `begin` on, one line of each row after the other, which is asked for
// a kilobyte ahead. Returns the first that is left.
std::int64_t zip_words_past(std::int64_t begin, std::int64_t n, std::byte* dst,
                            const std::byte* src, std::int64_t step) {
  constexpr std::int64_t kRows = 4, kWord = 4, kTogether = 8, kWords = kLine / kWord;
  constexpr std::int64_t kAhead = 1024;
  std::int64_t i = begin;
  for (; i + kWords <= n; i += kWords) {
    for (std::int64_t row = 0; row < kRows; ++row)
      hwy::Prefetch(src + i * kWord + row * step + kAhead);
    for (std::int64_t k = i; k < i + kWords; k += kTogether)
      zip_words_past(dst + k * kRows * kWord, src + k * kWord, step);
  }
  return i;
}
constexpr bool kZipsWordsPast = true;
#else
constexpr bool kZipsWordsPast = false;
std::int64_t zip_words_past(std::int64_t begin, std::int64_t, std::byte*, const std::byte*,
                            std::int64_t) {
  return begin;
}
#endif

// From element `begin` on. Returns the first that is left.
template <class T>
std::int64_t interleave_staged(std::int64_t begin, const CopyTile& tile, std::byte* dst,
                               const std::byte* src) {
  constexpr std::int64_t kSize = sizeof(T);
  const std::int64_t group = tile.inner.n * kSize;
  CopyTile part = tile;
  part.outer.n = kStaged / (kLine * group) * kLine;  // groups that fill whole lines
  alignas(kLine) std::byte staged[kStaged];
  return for_each_piece(begin, tile.outer.n, part.outer.n, [&](std::int64_t i) HWY_ATTR {
    // The rows of the next piece: each is a kilobyte, too short for the hardware to run ahead.
    const std::int64_t bytes = part.outer.n * kSize;
    for (std::int64_t row = 0; row < tile.inner.n; ++row) {
      const std::byte* next = src + i * kSize + bytes + row * tile.inner.src;
      for (std::int64_t at = 0; at < bytes; at += kLine) hwy::Prefetch(next + at);
    }
    interleave_rows<T>(part, staged, src + i * kSize);
    move_piece<Store::kStream>(dst + i * group, staged, part.outer.n * group);
  });
}

template <class T>
std::int64_t deinterleave_staged(std::int64_t begin, const CopyTile& tile, std::byte* dst,
                                 const std::byte* src) {
  constexpr std::int64_t kSize = sizeof(T), kPiece = kStaged / 4;  // of one row
  const std::int64_t rows = tile.inner.n;
  CopyTile part = tile;
  part.inner.dst = kPiece;
  part.outer.n = kPiece / kSize;
  alignas(kLine) std::byte staged[kStaged];
  return for_each_piece(begin, tile.outer.n, part.outer.n, [&](std::int64_t i) HWY_ATTR {
    deinterleave_rows<T>(part, staged, src + i * rows * kSize);
    for (std::int64_t row = 0; row < rows; ++row) {
      move_piece<Store::kStream>(dst + row * tile.inner.dst + i * kSize, staged + row * kPiece,
                                 kPiece);
    }
  });
}

template <class T>
void interleave(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  constexpr std::int64_t kSize = sizeof(T);
  const std::int64_t n = tile.outer.n, rows = tile.inner.n, group = rows * kSize;
  const std::int64_t head = tile.stream ? groups_to_line(dst, group) : -1;
  CopyTile part = tile;
  std::int64_t done = 0;
  if (head >= 0 && head < n) {
    part.outer.n = head;
    interleave_rows<T>(part, dst, src);
    done = zip_lines_past<Zip, T>(rows, head, n, dst, src, tile.inner.src);
    if (kZipsWordsPast && kSize == 4 && rows == 4)
      done = zip_words_past(head, n, dst, src, tile.inner.src);
    if (done == head) done = interleave_staged<T>(head, tile, dst, src);
  }
  part.outer.n = n - done;
  interleave_rows<T>(part, dst + done * group, src + done * kSize);
}

template <class T>
void deinterleave(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  constexpr std::int64_t kSize = sizeof(T);
  const std::int64_t n = tile.outer.n, rows = tile.inner.n, group = rows * kSize;
  const bool alike = tile.inner.dst % kLine == 0;
  const std::int64_t head = tile.stream && alike ? groups_to_line(dst, kSize) : -1;
  CopyTile part = tile;
  std::int64_t done = 0;
  if (head >= 0 && head < n) {
    part.outer.n = head;
    deinterleave_rows<T>(part, dst, src);
    done = zip_lines_past<Unzip, T>(rows, head, n, dst, src, tile.inner.dst);
    if (done == head) done = deinterleave_staged<T>(head, tile, dst, src);
  }
  part.outer.n = n - done;
  deinterleave_rows<T>(part, dst + done * kSize, src + done * group);
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
