// Transposes of tiles in registers, shared by the kernels that cross rows and columns; included
// once per CPU target.
#include <hwy/cache_control.h>
#include <type_traits>

#include "tensorlane/layout/strided_copy_simd_internal.h"

#if defined(TENSORLANE_LAYOUT_STRIDED_COPY_TILE_INTERNAL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_LAYOUT_STRIDED_COPY_TILE_INTERNAL_H_
#undef TENSORLANE_LAYOUT_STRIDED_COPY_TILE_INTERNAL_H_
#else
#define TENSORLANE_LAYOUT_STRIDED_COPY_TILE_INTERNAL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {
namespace {

// An element of 16 bytes: a pixel of fp32.
struct Wide {
  std::uint64_t halves[2];
};

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

inline constexpr int kBlocksPerVector = 1;

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
inline constexpr int kBlocksPerVector = 4;
#elif HWY_TARGET <= HWY_AVX2
inline constexpr int kBlocksPerVector = 2;
#else
inline constexpr int kBlocksPerVector = 1;
#endif

// The type of the lanes that hold elements of T.
template <class T>
using LaneOf = std::conditional_t<sizeof(T) == 16, std::uint64_t, T>;

// 16 bytes of kBlocks rows, `step` bytes apart: the first row of so many blocks.
template <class T, int kBlocks>
HWY_INLINE auto load_blocks(const std::byte* from, std::int64_t step) {
  using Lane = LaneOf<T>;
  constexpr int kLanes = 16 / sizeof(Lane);
  const hn::CappedTag<Lane, kLanes> d;
  const auto load = [&](int block) HWY_ATTR { return hn::LoadU(d, at<Lane>(from + block * step)); };
  if constexpr (kBlocks == 1) {
    return load(0);
  } else {
    const hn::CappedTag<Lane, 2 * kLanes> d2;
    if constexpr (kBlocks == 2) {
      return hn::Combine(d2, load(1), load(0));
    } else {
      const hn::CappedTag<Lane, 4 * kLanes> d4;
      return hn::Combine(d4, hn::Combine(d2, load(3), load(2)), hn::Combine(d2, load(1), load(0)));
    }
  }
}

// kBlocks blocks of rows from `src` to as many columns from `dst`; `step` bytes from block to
// block, kBlock rows where nothing else is said.
template <class T, int kBlocks, bool kStream>
HWY_INLINE void transpose_rows(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                               std::int64_t src_stride, std::int64_t step) {
  using Lane = LaneOf<T>;
  constexpr int kBlock = 16 / sizeof(T);
  const hn::CappedTag<Lane, 16 * kBlocks / sizeof(Lane)> d;
  hn::Vec<decltype(d)> v[kBlock];
#pragma GCC unroll 16
  for (int i = 0; i < kBlock; ++i) v[i] = load_blocks<T, kBlocks>(src + i * src_stride, step);
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

// 64 bytes of kBlock columns past the caches, from vectors of half a line: both halves one behind
// the other, since lines that are written in part leave the write buffers too soon. Where the
// registers do not hold as many, through a buffer.
template <class T>
HWY_INLINE void stream_lines(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                             std::int64_t src_stride, std::int64_t step) {
  using Lane = LaneOf<T>;
  constexpr int kBlock = 16 / sizeof(T), kHalf = static_cast<int>(kLine / 2);
  const hn::CappedTag<Lane, kHalf / sizeof(Lane)> d;
  using V = hn::Vec<decltype(d)>;
  const auto stream = [&](int i, V first, V second) HWY_ATTR {
    hn::Stream(first, d, at<Lane>(dst + i * dst_stride));
    hn::Stream(second, d, at<Lane>(dst + i * dst_stride + kHalf));
  };
  const std::byte* const next = src + 2 * step;
  if constexpr (kBlock <= 4) {
    V first[kBlock], second[kBlock];
#pragma GCC unroll 4
    for (int i = 0; i < kBlock; ++i) {
      first[i] = load_blocks<T, 2>(src + i * src_stride, step);
      second[i] = load_blocks<T, 2>(next + i * src_stride, step);
    }
    transpose_blocks<kBlock>(d, first);
    transpose_blocks<kBlock>(d, second);
#pragma GCC unroll 4
    for (int i = 0; i < kBlock; ++i) stream(i, first[i], second[i]);
  } else {
    alignas(kLine) std::byte lines[kBlock * kLine];
    transpose_rows<T, 2, false>(lines, kLine, src, src_stride, step);
    transpose_rows<T, 2, false>(lines + kHalf, kLine, next, src_stride, step);
    for (int i = 0; i < kBlock; ++i) {
      std::byte* const from = lines + i * kLine;
      stream(i, hn::Load(d, at<Lane>(from)), hn::Load(d, at<Lane>(from + kHalf)));
    }
  }
}

// dst row c, element r = src row r, element c; `rows` and `cols` are rounded up to whole vectors
// and blocks. Every row of the destination is written front to back before the next.
template <class T, int kBlocks = kBlocksPerVector, bool kStream = false>
void transpose_tile(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                    std::int64_t src_stride, std::int64_t rows, std::int64_t cols) {
  constexpr std::int64_t kSize = sizeof(T), kBlock = 16 / kSize;
  if constexpr (kStream && kBlocks == 2) {
    constexpr std::int64_t kLineRows = kLine / kSize;
    for (std::int64_t c = 0; c < cols; c += kBlock) {
      for (std::int64_t r = 0; r < rows; r += kLineRows) {
        stream_lines<T>(dst + c * dst_stride + r * kSize, dst_stride,
                        src + r * src_stride + c * kSize, src_stride, kBlock * src_stride);
      }
    }
    return;
  }
  for (std::int64_t c = 0; c < cols; c += kBlock) {
    for (std::int64_t r = 0; r < rows; r += kBlock * kBlocks) {
      transpose_rows<T, kBlocks, kStream>(dst + c * dst_stride + r * kSize, dst_stride,
                                          src + r * src_stride + c * kSize, src_stride,
                                          kBlock * src_stride);
    }
  }
}

// A block of rows to columns anywhere, from byte `at_row` of each on.
template <class T>
HWY_INLINE void transpose_block_to(std::byte* const* columns, std::int64_t at_row,
                                   const std::byte* src, std::int64_t src_stride) {
  using Lane = LaneOf<T>;
  constexpr int kBlock = 16 / sizeof(T);
  const hn::CappedTag<Lane, 16 / sizeof(Lane)> d;
  hn::Vec<decltype(d)> v[kBlock];
#pragma GCC unroll 16
  for (int i = 0; i < kBlock; ++i) v[i] = hn::LoadU(d, at<Lane>(src + i * src_stride));
  transpose_blocks<kBlock>(d, v);
#pragma GCC unroll 16
  for (int i = 0; i < kBlock; ++i) hn::StoreU(v[i], d, at<Lane>(columns[i] + at_row));
}

#endif

// Up to 64 bytes, none beside them touched.
HWY_INLINE void move_part(std::byte* dst, const std::byte* src, std::int64_t bytes) {
  [[maybe_unused]] const auto both_ends = [&](auto d) HWY_ATTR {
    const std::int64_t last = bytes - static_cast<std::int64_t>(hn::Lanes(d));
    const auto front = hn::LoadU(d, at<std::uint8_t>(src));
    const auto back = hn::LoadU(d, at<std::uint8_t>(src + last));
    hn::StoreU(front, d, at<std::uint8_t>(dst));
    hn::StoreU(back, d, at<std::uint8_t>(dst + last));
  };
  if (bytes == kLine) {
    move_lines<1, 1, Store::kCached>(dst, 0, src, 0);
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
  } else if (bytes >= 32) {
    const hn::CappedTag<std::uint8_t, 16> d;
    both_ends(d);
    hn::StoreU(hn::LoadU(d, at<std::uint8_t>(src + 16)), d, at<std::uint8_t>(dst + 16));
    if (bytes > 48)
      hn::StoreU(hn::LoadU(d, at<std::uint8_t>(src + 32)), d, at<std::uint8_t>(dst + 32));
  } else if (bytes == 16) {
    const hn::CappedTag<std::uint8_t, 16> d;
    hn::StoreU(hn::LoadU(d, at<std::uint8_t>(src)), d, at<std::uint8_t>(dst));
  } else if (bytes > 16) {
    both_ends(hn::CappedTag<std::uint8_t, 16>());
  } else if (bytes >= 8) {
    both_ends(hn::CappedTag<std::uint8_t, 8>());
#endif
  } else {
    std::memcpy(dst, src, static_cast<std::size_t>(bytes));
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::copy_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
