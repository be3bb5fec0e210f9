// Rows become columns.
#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/layout/strided_copy_transpose.cc"  // NOLINT
#include <hwy/foreach_target.h>  // must come before highway.h
//
#include <hwy/cache_control.h>
#include <type_traits>

#include "tensorlane/layout/strided_copy_simd_internal.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {
namespace {

// An element of 16 bytes: a pixel of fp32.
struct Wide {
  std::uint64_t halves[2];
};

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

constexpr int kBlocksPerVector = 1;

template <class T, int kBlocks = 1, bool kStream = false>
void transpose_tile(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                    std::int64_t src_stride, std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kSize = sizeof(T);
  for (std::int64_t c = 0; c < cols; ++c) {
    for (std::int64_t r = 0; r < rows; ++r) {
      std::memcpy(dst + c * dst_stride + r * kSize, src + r * src_stride + c * kSize, kSize);
    }
  }
}

#else

// Transposes a square of 16-byte rows held in kRows vectors, in each 16-byte block of the vectors:
// log2(kRows) rounds of a perfect shuffle. Unrolled, so that the vectors stay in registers: an
// array that a loop walks lies in memory.
template <int kRows, int kStage = 1, class D, class V = hn::Vec<D> >
HWY_INLINE void transpose_blocks(D d, V (&v)[kRows]) {
  if constexpr (kStage < kRows) {
    V next[kRows];
#pragma GCC unroll 8
    for (int i = 0; i < kRows / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, v[i], v[i + kRows / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kRows / 2]);
    }
#pragma GCC unroll 16
    for (int i = 0; i < kRows; ++i) v[i] = next[i];
    transpose_blocks<kRows, 2 * kStage>(d, v);
  }
}

// The widest vectors that hold whole 16-byte blocks of rows a block apart, side by side.
#if HWY_TARGET <= HWY_AVX3
constexpr int kBlocksPerVector = 4;
#elif HWY_TARGET <= HWY_AVX2
constexpr int kBlocksPerVector = 2;
#else
constexpr int kBlocksPerVector = 1;
#endif

// The type of the lanes that hold elements of T.
template <class T>
using LaneOf = std::conditional_t<sizeof(T) == 16, std::uint64_t, T>;

// 16 bytes of rows 0, kBlock, 2 * kBlock ... (kBlocks of them), `stride` bytes between rows.
template <class T, int kBlocks>
HWY_INLINE auto load_blocks(const std::byte* from, std::int64_t stride) {
  using Lane = LaneOf<T>;
  constexpr int kBlock = 16 / sizeof(T), kLanes = 16 / sizeof(Lane);
  const hn::CappedTag<Lane, kLanes> d;
  const auto load = [&](int row) HWY_ATTR { return hn::LoadU(d, at<Lane>(from + row * stride)); };
  if constexpr (kBlocks == 1) {
    return load(0);
  } else {
    const hn::CappedTag<Lane, 2 * kLanes> d2;
    if constexpr (kBlocks == 2) {
      return hn::Combine(d2, load(kBlock), load(0));
    } else {
      const hn::CappedTag<Lane, 4 * kLanes> d4;
      return hn::Combine(d4, hn::Combine(d2, load(3 * kBlock), load(2 * kBlock)),
                         hn::Combine(d2, load(kBlock), load(0)));
    }
  }
}

// kRows rows from `src` to as many columns from `dst`.
template <class T, int kBlocks, bool kStream>
HWY_INLINE void transpose_rows(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                               std::int64_t src_stride) {
  using Lane = LaneOf<T>;
  constexpr int kBlock = 16 / sizeof(T);
  const hn::CappedTag<Lane, 16 * kBlocks / sizeof(Lane)> d;
  hn::Vec<decltype(d)> v[kBlock];
#pragma GCC unroll 16
  for (int i = 0; i < kBlock; ++i) v[i] = load_blocks<T, kBlocks>(src + i * src_stride, src_stride);
  transpose_blocks<kBlock>(d, v);
#pragma GCC unroll 16
  for (int i = 0; i < kBlock; ++i) {
    if constexpr (kStream) {
      hn::Stream(v[i], d, at<Lane>(dst + i * dst_stride));
    } else {
      hn::StoreU(v[i], d, at<Lane>(dst + i * dst_stride));
    }
  }
}

// dst row c, element r = src row r, element c; `rows` and `cols` are rounded up to whole vectors
// and blocks. Every row of the destination is written front to back before the next.
template <class T, int kBlocks = kBlocksPerVector, bool kStream = false>
void transpose_tile(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                    std::int64_t src_stride, std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kSize = sizeof(T), kBlock = 16 / kSize;
  for (std::int64_t c = 0; c < cols; c += kBlock) {
    for (std::int64_t r = 0; r < rows; r += kBlock * kBlocks) {
      transpose_rows<T, kBlocks, kStream>(dst + c * dst_stride + r * kSize, dst_stride,
                                          src + r * src_stride + c * kSize, src_stride);
    }
  }
}

#endif

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

// Rows of at most 64 bytes between memory and a tile.
void move_rows(std::int64_t rows, std::int64_t bytes, std::byte* dst, std::int64_t dst_stride,
               const std::byte* src, std::int64_t src_stride) {
  CopyTile tile;
  tile.bytes = bytes;
  tile.inner = {rows, dst_stride, src_stride};
  find_rows_kernel(tile)(tile, dst, src);
}

// Rows this far apart fall into so few sets of the first-level cache that a tile of them does not
// stay there: such a tile is first copied together. Most processors have eight ways, those with
// vectors of 512 bits twelve as a rule; 16 rows of words, read and written in whole lines, are
// faster where they lie even so.
constexpr std::int64_t kWays = kWholeSquares ? 16 : 8;
bool rows_collide(std::int64_t stride, std::int64_t rows) {
  constexpr std::int64_t kPeriod = 4096;
  std::int64_t sets = kPeriod / 64;
  for (std::int64_t step = 64; step < kPeriod && stride % (2 * step) == 0; step *= 2) sets /= 2;
  return rows > sets * kWays;
}

// Tiles are one cache line of elements in both directions.
template <class T>
class Transposer {
 public:
  Transposer(const CopyTile& tile, std::byte* dst, const std::byte* src)
      : across_(tile.inner), along_(tile.outer), dst_(dst), src_(src) {
    collide_ = rows_collide(across_.src, std::min(kSide, across_.n));
    lines_ = is_line_aligned(dst, along_.dst);
    // Stores past the caches take whole aligned lines only.
    stream_ = tile.stream && lines_;
    // So few rows at a time stay in the cache, where those of the destination do.
    by_rows_ = collide_ && !stream_ && kRows <= kWays &&
               !rows_collide(along_.dst, std::min(kSide, along_.n));
    // Whole squares read each line once, small tiles have the shorter way between rows of both
    // sides.
    squares_ = kWholeSquares && tile.squares && kSize == 4 &&
               (stream_ || std::min(across_.n, along_.n) <= kSide);
    // Lines one after the other the hardware finds by itself, those of few rows too.
    ask_ = !stream_ && !squares_ && along_.dst > kLine && along_.n > kSide;
    // Blocks of half a line take their rows in small steps, too slow for what is far: ask for it.
    ask_source_ = kBlocksPerVector == 2 && tile.far && (stream_ || along_.dst == kLine);
  }

  void run() {
    if (lines_) {
      by_destination();
    } else {
      by_source();
    }
  }

 private:
  static constexpr std::int64_t kSize = sizeof(T), kSide = 64 / kSize, kBlock = 16 / kSize;
  static constexpr std::int64_t kRows = kBlock * kBlocksPerVector;  // that one vector crosses
  static constexpr std::int64_t kAhead = 512;                       // bytes

  // The rows of the destination front to back, a line of each at a time; in stretches, so that the
  // source rows stay in the address caches.
  void by_destination() {
    constexpr std::int64_t kStretch = 16 * kSide;
    for (std::int64_t begin = 0; begin < across_.n; begin += kStretch) {
      const std::int64_t end = std::min(across_.n, begin + kStretch);
      for (std::int64_t b = 0; b < along_.n; b += kSide) {
        for (std::int64_t a = begin; a < end; a += kSide) {
          const bool last = a + kSide >= end;
          if (ask_) ask_for_tile(last ? begin : a + kSide, last ? b + kSide : b);
          tile(a, b);
        }
      }
    }
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
        for (std::int64_t b = begin; b < end; b += kSide) tile(a, b);
      }
    }
  }

  HWY_INLINE void tile(std::int64_t a, std::int64_t b) {
    const std::int64_t rows = std::min(kSide, across_.n - a);
    const std::int64_t cols = std::min(kSide, along_.n - b);
    if (rows == kSide && cols % kBlock == 0) {
      whole_lines(a, b, cols);
    } else if (rows % kBlock == 0 && cols % kBlock == 0) {
      transpose_tile<T, 1>(dst_at(a, b), along_.dst, src_at(a, b), across_.src, rows, cols);
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

  // Every store is a line of the destination.
  HWY_INLINE void whole_lines(std::int64_t a, std::int64_t b, std::int64_t cols) {
    const std::byte* from = src_at(a, b);
    std::int64_t stride = across_.src;
    const bool square = squares_ && cols == kSide;
    if (ask_source_) {
      for (std::int64_t row = 0; row < kSide; ++row) hwy::Prefetch(from + row * stride + kAhead);
    }
    if (collide_ && !by_rows_) {
      move_rows(kSide, cols * kSize, in_, 64, from, stride);
      from = in_;
      stride = 64;
    }
    if (square) {
      const auto move = stream_ ? transpose_square<true> : transpose_square<false>;
      move(dst_at(a, b), along_.dst, from, stride);
    } else if (stream_) {
      transpose_tile<T, kBlocksPerVector, true>(dst_at(a, b), along_.dst, from, stride, kSide,
                                                cols);
    } else if (by_rows_) {
      for (std::int64_t row = 0; row < kSide; row += kRows)
        transpose_tile<T>(dst_at(a + row, b), along_.dst, from + row * stride, stride, kRows, cols);
    } else {
      transpose_tile<T>(dst_at(a, b), along_.dst, from, stride, kSide, cols);
    }
  }

  // Through buffers on both sides, which may be read and written beyond the part.
  void part_of_tile(std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t cols) {
    move_rows(rows, cols * kSize, in_, 64, src_at(a, b), across_.src);
    transpose_tile<T>(out_, 64, in_, 64, rows, cols);
    move_rows(cols, rows * kSize, dst_at(a, b), along_.dst, out_, 64);
  }

  const CopyLoop across_, along_;  // contiguous in the destination, in the source
  std::byte* dst_;
  const std::byte* src_;
  bool collide_, lines_, stream_, by_rows_, squares_, ask_, ask_source_;
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
