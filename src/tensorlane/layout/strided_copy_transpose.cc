// Rows become columns.
#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/layout/strided_copy_transpose.cc"  // NOLINT
#include <hwy/foreach_target.h>  // must come before highway.h
//
#include <hwy/cache_control.h>

#include "tensorlane/layout/strided_copy_tile_internal.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {
namespace {

#if HWY_TARGET <= HWY_AVX3
constexpr bool kWholeSquares = true;
// A square of 16 by 16 words, read and written in whole lines.
template <bool kStream>
void transpose_square(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                      std::int64_t src_stride) {
  const hn::Full512<std::uint32_t> d;
  const hn::Full512<std::uint64_t> d64;
  hn::Vec<decltype(d)> v[16];
  for (int group = 0; group < 16; group += 4) {
    hn::Vec<decltype(d)> r[4];
    for (int i = 0; i < 4; ++i)
      r[i] = hn::LoadU(d, at<std::uint32_t>(src + (group + i) * src_stride));
    const auto lo01 = hn::BitCast(d64, hn::InterleaveLower(d, r[0], r[1]));
    const auto hi01 = hn::BitCast(d64, hn::InterleaveUpper(d, r[0], r[1]));
    const auto lo23 = hn::BitCast(d64, hn::InterleaveLower(d, r[2], r[3]));
    const auto hi23 = hn::BitCast(d64, hn::InterleaveUpper(d, r[2], r[3]));
    v[group] = hn::BitCast(d, hn::InterleaveLower(d64, lo01, lo23));
    v[group + 1] = hn::BitCast(d, hn::InterleaveUpper(d64, lo01, lo23));
    v[group + 2] = hn::BitCast(d, hn::InterleaveLower(d64, hi01, hi23));
    v[group + 3] = hn::BitCast(d, hn::InterleaveUpper(d64, hi01, hi23));
  }
  for (int k = 0; k < 4; ++k) {
    const __m512i a = _mm512_shuffle_i32x4(v[k].raw, v[k + 4].raw, 0x44);
    const __m512i b = _mm512_shuffle_i32x4(v[k].raw, v[k + 4].raw, 0xee);
    const __m512i c = _mm512_shuffle_i32x4(v[k + 8].raw, v[k + 12].raw, 0x44);
    const __m512i e = _mm512_shuffle_i32x4(v[k + 8].raw, v[k + 12].raw, 0xee);
    const __m512i out[4] = {_mm512_shuffle_i32x4(a, c, 0x88), _mm512_shuffle_i32x4(a, c, 0xdd),
                            _mm512_shuffle_i32x4(b, e, 0x88), _mm512_shuffle_i32x4(b, e, 0xdd)};
    for (int i = 0; i < 4; ++i) {
      std::uint32_t* to = at<std::uint32_t>(dst + (4 * i + k) * dst_stride);
      if constexpr (kStream) {
        hn::Stream(hn::Vec<decltype(d)>{out[i]}, d, to);
      } else {
        hn::StoreU(hn::Vec<decltype(d)>{out[i]}, d, to);
      }
    }
  }
}
#else
constexpr bool kWholeSquares = false;
template <bool kStream>
void transpose_square(std::byte*, std::int64_t, const std::byte*, std::int64_t) {}
#endif

#if HWY_TARGET == HWY_AVX2
constexpr bool kSquaresOfEight = true;
// A square of 8 by 8 words in whole vectors.
HWY_INLINE void transpose_eight(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                                std::int64_t src_stride) {
  const hn::Full256<std::uint32_t> d;
  const hn::Full256<std::uint64_t> d64;
  hn::Vec<decltype(d64)> v[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    const auto even = hn::LoadU(d, at<std::uint32_t>(src + 2 * i * src_stride));
    const auto odd = hn::LoadU(d, at<std::uint32_t>(src + (2 * i + 1) * src_stride));
    v[2 * i] = hn::BitCast(d64, hn::InterleaveLower(d, even, odd));
    v[2 * i + 1] = hn::BitCast(d64, hn::InterleaveUpper(d, even, odd));
  }
  // Columns i and i + 4 of the upper and of the lower four rows.
  const auto store = [&](int i, auto upper, auto lower) HWY_ATTR {
    hn::StoreU(hn::ConcatLowerLower(d64, lower, upper), d64,
               at<std::uint64_t>(dst + i * dst_stride));
    hn::StoreU(hn::ConcatUpperUpper(d64, lower, upper), d64,
               at<std::uint64_t>(dst + (i + 4) * dst_stride));
  };
#pragma GCC unroll 2
  for (int i = 0; i < 2; ++i) {
    store(2 * i, hn::InterleaveLower(d64, v[i], v[i + 2]),
          hn::InterleaveLower(d64, v[i + 4], v[i + 6]));
    store(2 * i + 1, hn::InterleaveUpper(d64, v[i], v[i + 2]),
          hn::InterleaveUpper(d64, v[i + 4], v[i + 6]));
  }
}
#else
constexpr bool kSquaresOfEight = false;
void transpose_eight(std::byte*, std::int64_t, const std::byte*, std::int64_t) {}
#endif

// Tiles are one cache line of elements in both directions.
template <class T>
class Transposer {
 public:
  Transposer(const CopyTile& tile, std::byte* dst, const std::byte* src)
      : across_(tile.inner), along_(tile.outer), dst_(dst), src_(src), far_(tile.far) {
    const std::int64_t rows = std::min(kSide, across_.n), cols = std::min(kSide, along_.n);
    written_collide_ = rows_collide(along_.dst, cols);
    lines_ = is_line_aligned(dst, along_.dst);
    // Stores past the caches take whole aligned lines only. Lines of many rows that collide are not
    // kept by the caches anyway.
    stream_ = lines_ && (tile.stream || (tile.far && written_collide_));
    // Whole squares read each line once, small tiles have the shorter way between rows of both
    // sides.
    squares_ = kWholeSquares && tile.squares && kSize == 4 &&
               (stream_ || std::min(across_.n, along_.n) <= kSide);
    collide_ = rows_collide(across_.src, rows, stream_ || squares_ ? kWholeWays : kWays);
    // So few rows at a time stay in the cache, where those of the destination do.
    by_rows_ = collide_ && !stream_ && !squares_ && kFewRows <= kWays && !written_collide_;
    // Lines one after the other the hardware finds by itself, those of few rows too; those that
    // collide would be gone before they are written, and the second-level cache answers soon
    // enough.
    ask_ = (tile.far || across_.n * along_.n * kSize >= kAskBytes) && !stream_ && !squares_ &&
           along_.dst > kLine && along_.n > kSide && !written_collide_;
    // Otherwise rows that collide are brought together many at a time, unless words go past the
    // caches, whose lines few rows fill.
    gather_ = collide_ && !by_rows_ && !squares_ && (kSize == 1 || !tile.stream) &&
              across_.n >= kSide && along_.n >= kSide;
    // Of few rows that stay in the cache several lines each are written.
    if (!ask_ && !stream_ && !squares_ && !collide_) {
      wide_ = 8 * kSide;
      while (wide_ > kSide && rows_collide(across_.src, wide_)) wide_ /= 2;
    }
    // Where lines are written one after the other, two are read of each row.
    deep_ = along_.dst == kLine && across_.n == kSide && !squares_ && !collide_ ? 2 * kSide : kSide;
    // Where lines are written one after the other, eight rows at a time.
    eights_ =
        kSquaresOfEight && kSize == 4 && along_.dst == kLine && across_.n == kSide && !stream_;
    // What is far is asked for ahead, where rows are many or are taken in small steps.
    const bool contiguous = along_.dst == kLine;
    ask_source_ =
        kBlocksPerVector > 1 && tile.far && (contiguous ? kBlocksPerVector == 2 : stream_);
    ahead_ = contiguous ? 512 : 128;
  }

  void run() {
    if (eights_) {
      by_rows_of_eight();
    } else if (gather_) {
      by_gathered_rows();
    } else if (lines_) {
      by_destination();
    } else {
      by_source();
    }
  }

 private:
  static constexpr std::int64_t kSize = sizeof(T), kSide = 64 / kSize, kBlock = 16 / kSize;
  // Rows that go through registers at once where all do not stay in the cache.
  static constexpr std::int64_t kPartAhead = 256;  // bytes
  static constexpr int kFewBlocks = kBlocksPerVector == 4 ? 2 : kBlocksPerVector;
  static constexpr std::int64_t kFewRows = kBlock * kFewBlocks;
  static constexpr std::int64_t kGatheredRows = 256, kGatheredBytes = 128;
  static constexpr std::int64_t kAskBytes = 512 << 10;

  // The rows of the destination front to back, some lines of each at a time; in stretches, so that
  // the source rows stay in the address caches.
  void by_destination() {
    constexpr std::int64_t kStretch = 16 * kSide;
    for (std::int64_t begin = 0; begin < across_.n; begin += kStretch) {
      const std::int64_t end = std::min(across_.n, begin + kStretch);
      for (std::int64_t b = 0; b < along_.n;) {
        const std::int64_t cols = deep_ <= along_.n - b ? deep_ : std::min(kSide, along_.n - b);
        for (std::int64_t a = begin; a < end;) {
          const std::int64_t rows = wide_ <= end - a ? wide_ : std::min(kSide, end - a);
          if (ask_) {
            const bool last = a + rows >= end;
            ask_for_tile(last ? begin : a + rows, last ? b + cols : b);
          }
          tile(a, b, rows, cols);
          a += rows;
        }
        b += cols;
      }
    }
  }

  // Lines of many rows into a buffer, two of each row, which memory answers as one; from there
  // whole columns of several lines.
  void by_gathered_rows() {
    alignas(kLine) std::byte gathered[kGatheredRows * kGatheredBytes];
    for (std::int64_t a = 0; a < across_.n;) {
      const std::int64_t rest = across_.n - a;
      const std::int64_t rows = rest < kSide ? rest : std::min(kGatheredRows, rest) / kSide * kSide;
      for (std::int64_t b = 0; b < along_.n;) {
        std::int64_t cols = std::min(kGatheredBytes / kSize, along_.n - b);
        if (rows < kSide || cols < kSide) {
          for (std::int64_t row = 0; row < rows; row += kSide)
            tile(a + row, b, std::min(kSide, rows - row), std::min(kSide, cols));
          b += std::min(kSide, cols);
          continue;
        }
        cols -= cols % kSide;
        move_rows(rows, cols * kSize, gathered, kGatheredBytes, src_at(a, b), across_.src);
        for (std::int64_t col = 0; col < cols; col += kSide) {
          if (far_ && b + cols < along_.n) {
            const std::byte* const next = src_at(a, b + cols) + col * kSize;
            for (std::int64_t row = 0; row < rows; ++row) hwy::Prefetch(next + row * across_.src);
          }
          std::byte* const to = dst_at(a, b + col);
          const std::byte* const from = gathered + col * kSize;
          if (stream_) {
            transpose_tile<T, kBlocksPerVector, true>(to, along_.dst, from, kGatheredBytes, rows,
                                                      kSide);
          } else {
            transpose_tile<T>(to, along_.dst, from, kGatheredBytes, rows, kSide);
          }
        }
        b += cols;
      }
      a += rows;
    }
  }

  // Sixteen rows to lines one after the other: eight rows, which fill half of each line, and the
  // others. So few lines stay in the nearest cache, wherever they lie.
  void by_rows_of_eight() {
    constexpr std::int64_t kEight = 8;
    const std::int64_t stride = across_.src, whole = along_.n / kSide * kSide;
    for (std::int64_t b = 0; b < whole; b += kSide) {
      for (std::int64_t row = 0; row < kSide; row += kEight) {
        for (std::int64_t col = b; col < b + kSide; col += kEight)
          transpose_eight(dst_at(row, col), kLine, src_at(row, col), stride);
      }
    }
    if (whole < along_.n) tile(0, whole, kSide, along_.n - whole);
  }

  // The lines of a tile that comes next.
  HWY_INLINE void ask_for_tile(std::int64_t a, std::int64_t b) const {
    const std::int64_t rows = std::min(kSide, along_.n - b);
    const std::byte* to = dst_at(a, b);
    for (std::int64_t row = 0; row < rows; ++row) prefetch_written(to + row * along_.dst);
  }

  // The rows of the source front to back: tiles share lines of the destination anyway.
  void by_source() {
    constexpr std::int64_t kStretch = 16 * kSide;
    for (std::int64_t begin = 0; begin < along_.n; begin += kStretch) {
      const std::int64_t end = std::min(along_.n, begin + kStretch);
      for (std::int64_t a = 0; a < across_.n; a += kSide) {
        for (std::int64_t b = begin; b < end; b += kSide)
          tile(a, b, std::min(kSide, across_.n - a), std::min(kSide, end - b));
      }
    }
  }

  HWY_INLINE void tile(std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t cols) {
    if (rows >= kSide) {
      const std::int64_t blocks = cols / kBlock * kBlock;
      if (blocks > 0) whole_lines(a, b, rows, blocks);
      if (blocks == cols) return;
      if (b + cols >= kBlock) {
        last_columns(a, b + cols - kBlock, rows, cols - blocks);
      } else {
        for (std::int64_t column = b + blocks; column < b + cols; ++column)
          one_column(a, column, rows);
      }
    } else if (rows >= kBlock && cols >= kBlock && !written_collide_) {
      // Blocks that overlap write lines twice, of which collided ones are no longer there.
      blocks(a, b, rows, cols);
    } else {
      part_of_tile(a, b, rows, cols);
    }
  }

  std::byte* dst_at(std::int64_t a, std::int64_t b) const {
    return dst_ + b * along_.dst + a * kSize;
  }
  const std::byte* src_at(std::int64_t a, std::int64_t b) const {
    return src_ + a * across_.src + b * kSize;
  }

  // Every store is a line of the destination, or of few rows a part of one.
  HWY_INLINE void whole_lines(std::int64_t a, std::int64_t b, std::int64_t rows,
                              std::int64_t cols) {
    const std::byte* from = src_at(a, b);
    std::int64_t stride = across_.src;
    const bool square = squares_ && rows == kSide && cols == kSide;
    if (ask_source_) {
      for (std::int64_t row = 0; row < rows; ++row) {
        for (std::int64_t i = 0; i < cols * kSize; i += kLine)
          hwy::Prefetch(from + row * stride + ahead_ + i);
      }
    }
    if (by_rows_) {
      for (std::int64_t row = 0; row < rows; row += kFewRows) {
        transpose_tile<T, kFewBlocks>(dst_at(a + row, b), along_.dst, from + row * stride, stride,
                                      kFewRows, cols);
      }
      return;
    }
    if (collide_) {
      move_rows(kSide, cols * kSize, in_, 64, from, stride);
      from = in_;
      stride = 64;
    }
    if (square) {
      const auto move = stream_ ? transpose_square<true> : transpose_square<false>;
      move(dst_at(a, b), along_.dst, from, stride);
    } else if (stream_) {
      transpose_tile<T, kBlocksPerVector, true>(dst_at(a, b), along_.dst, from, stride, rows, cols);
    } else {
      transpose_tile<T>(dst_at(a, b), along_.dst, from, stride, rows, cols);
    }
  }

  // Whole lines of the last `count` rows of the destination, of a block that reaches back over what
  // is done.
  HWY_INLINE void last_columns(std::int64_t a, std::int64_t b, std::int64_t rows,
                               std::int64_t count) {
    for (std::int64_t row = 0; row < rows; row += kSide) {
      transpose_tile<T>(out_, kLine, src_at(a + row, b), across_.src, kSide, kBlock);
      for (std::int64_t col = kBlock - count; col < kBlock; ++col) {
        if (stream_) {
          move_lines<1, 1, Store::kStream>(dst_at(a + row, b + col), 0, out_ + col * kLine, 0);
        } else {
          move_part(dst_at(a + row, b + col), out_ + col * kLine, kLine);
        }
      }
    }
  }

  // Whole lines of one row of the destination, element by element.
  HWY_INLINE void one_column(std::int64_t a, std::int64_t b, std::int64_t rows) {
    for (std::int64_t row = 0; row < rows; row += kSide) {
      const std::byte* const from = src_at(a + row, b);
      for (std::int64_t i = 0; i < kSide; ++i)
        std::memcpy(out_ + i * kSize, from + i * across_.src, kSize);
      std::memcpy(dst_at(a + row, b), out_, kLine);
    }
  }

  // Blocks of 16 bytes, of which the last reach back over what is done.
  HWY_INLINE void blocks(std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t cols) {
    for (std::int64_t row = 0; far_ && row < rows; ++row)
      hwy::Prefetch(src_at(a + row, b) + kPartAhead);
    for (std::int64_t c = 0; c < cols; c += kBlock) {
      const std::int64_t col = b + std::min(c, cols - kBlock);
      if (far_) prefetch_written(dst_at(a, col) + kWrittenAhead);
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
      std::int64_t r = 0;
      if constexpr (kBlocksPerVector > 1) {
        for (; r + 2 * kBlock <= rows; r += 2 * kBlock) {
          transpose_rows<T, 2, false>(dst_at(a + r, col), along_.dst, src_at(a + r, col),
                                      across_.src, kBlock * across_.src);
        }
      }
      for (; r < rows; r += kBlock) {
        const std::int64_t row = a + std::min(r, rows - kBlock);
        transpose_rows<T, 1, false>(dst_at(row, col), along_.dst, src_at(row, col), across_.src, 0);
      }
#else
      transpose_tile<T>(dst_at(a, col), along_.dst, src_at(a, col), across_.src, rows, kBlock);
#endif
    }
  }

  // Through buffers on both sides, which may be read and written beyond the part.
  void part_of_tile(std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t cols) {
    for (std::int64_t row = 0; row < rows; ++row) {
      if (far_) hwy::Prefetch(src_at(a + row, b) + kPartAhead);
      move_part(in_ + row * kLine, src_at(a + row, b), cols * kSize);
    }
    transpose_tile<T>(out_, kLine, in_, kLine, rows, cols);
    for (std::int64_t col = 0; col < cols; ++col) {
      if (far_) prefetch_written(dst_at(a, b + col) + kWrittenAhead);
      move_part(dst_at(a, b + col), out_ + col * kLine, rows * kSize);
    }
  }

  const CopyLoop across_, along_;  // contiguous in the destination, in the source
  std::byte* dst_;
  const std::byte* src_;
  bool written_collide_, collide_, gather_, lines_, stream_, by_rows_, squares_, eights_, ask_,
      ask_source_;
  const bool far_;
  std::int64_t ahead_ = 0;                    // bytes
  std::int64_t wide_ = kSide, deep_ = kSide;  // rows and columns of a tile where there are as many
  alignas(64) std::byte in_[static_cast<std::size_t>(kSide * 64)];
  alignas(64) std::byte out_[static_cast<std::size_t>(kSide * 64)];
};

template <class T>
void transpose(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  Transposer<T>(tile, dst, src).run();
}

CopyKernel find_kernel(const CopyTile& tile) {
  if (tile.bytes == 16) return transpose<Wide>;
  return find_typed(tile.bytes, transpose<std::uint8_t>, transpose<std::uint16_t>,
                    transpose<std::uint32_t>, transpose<std::uint64_t>);
}

}  // namespace

CopyKernel find_transpose_kernel(const CopyTile& tile) {
  return find_kernel(tile);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::copy_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::copy_internal {

HWY_EXPORT(find_transpose_kernel);

CopyKernel find_transpose_kernel(const CopyTile& tile) {
  return HWY_DYNAMIC_DISPATCH(find_transpose_kernel)(tile);
}

}  // namespace tensorlane::copy_internal
#endif  // HWY_ONCE
