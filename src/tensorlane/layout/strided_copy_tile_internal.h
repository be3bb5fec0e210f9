// Transposes of tiles in registers, shared by the kernels that cross rows and columns; included
// once per CPU target.
#include <hwy/cache_control.h>
#include <type_traits>
#include <utility>

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

// One round of a perfect shuffle of kRows vectors. All indices are constants: an array that a loop
// walks may lie in memory, even where the loop is unrolled.
template <int kRows, class D, class V, std::size_t... kPair>
HWY_INLINE void shuffle_rows(D d, const V (&from)[kRows], V (&to)[kRows],
                             std::index_sequence<kPair...>) {
  ((to[2 * kPair] = hn::InterleaveLower(d, from[kPair], from[kPair + kRows / 2]),
    to[2 * kPair + 1] = hn::InterleaveUpper(d, from[kPair], from[kPair + kRows / 2])),
   ...);
}

// Transposes a square of 16-byte rows held in kRows vectors, in each 16-byte block of the vectors:
// log2(kRows) rounds.
template <int kRows, int kStage = 1, class D, class V>
HWY_INLINE void transpose_blocks(D d, const V (&rows)[kRows], V (&columns)[kRows]) {
  constexpr std::make_index_sequence<kRows / 2> kPairs{};
  if constexpr (kRows == 1) {
    columns[0] = rows[0];
  } else if constexpr (2 * kStage == kRows) {
    shuffle_rows(d, rows, columns, kPairs);
  } else {
    V next[kRows];
    shuffle_rows(d, rows, next, kPairs);
    transpose_blocks<kRows, 2 * kStage>(d, next, columns);
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

// An address that goes on from row to row. Of rows at fixed places compilers compute every address
// from its number, which takes more instructions than the moves.
template <class Byte>
HWY_INLINE void advance(Byte*& row, std::int64_t bytes) {
  row += bytes;
  asm("" : "+r"(row));
}

// 16 bytes of kBlocks rows, the first of so many blocks.
template <class T>
HWY_INLINE auto load_block(const std::byte* row) {
  const hn::CappedTag<LaneOf<T>, 16 / sizeof(LaneOf<T>)> d;
  return hn::LoadU(d, at<LaneOf<T> >(row));
}
template <class T, int kBlocks, class RowOf>
HWY_INLINE auto load_blocks(RowOf row_of) {
  using Lane = LaneOf<T>;
  const auto first = load_block<T>(row_of(0));
  if constexpr (kBlocks == 1) {
    return first;
  } else {
    const hn::CappedTag<Lane, 32 / sizeof(Lane)> d2;
    const auto half = hn::Combine(d2, load_block<T>(row_of(1)), first);
    if constexpr (kBlocks == 2) {
      return half;
    } else {
      const auto third = load_block<T>(row_of(2)), last = load_block<T>(row_of(3));
      return hn::Combine(hn::CappedTag<Lane, 64 / sizeof(Lane)>(), hn::Combine(d2, last, third),
                         half);
    }
  }
}

// Row kRow of each block, whose addresses go on from pair to pair.
template <class T, int kRow, int kBlocks, class V>
HWY_INLINE void load_row(V& row, const std::byte* (&block)[kBlocks], std::int64_t stride) {
  row = load_blocks<T, kBlocks>([&](int i) { return block[i] + kRow % 2 * stride; });
  if constexpr (kRow % 2 == 1) {
    for (const std::byte*& each : block) advance(each, 2 * stride);
  }
}

// The vectors of kBlocks blocks of rows from `src`, `step` bytes from block to block, as columns.
template <class T, int kBlocks, class V, std::size_t... kRow>
HWY_INLINE void load_columns(V (&columns)[16 / sizeof(T)], const std::byte* src,
                             std::int64_t src_stride, std::int64_t step,
                             std::index_sequence<kRow...>) {
  constexpr int kBlock = 16 / sizeof(T);
  const hn::CappedTag<LaneOf<T>, 16 * kBlocks / sizeof(LaneOf<T>)> d;
  V rows[kBlock];
  if constexpr (kBlock <= 4) {  // few: without an array, which GCC would compute in vectors
    const auto row_of = [&](std::size_t row, int i) {
      return src + static_cast<std::int64_t>(row) * src_stride + i * step;
    };
    ((rows[kRow] = load_blocks<T, kBlocks>([&](int i) { return row_of(kRow, i); })), ...);
  } else {
    const std::byte* block[kBlocks];
    for (int i = 0; i < kBlocks; ++i) block[i] = src + i * step;
    (load_row<T, kRow>(rows[kRow], block, src_stride), ...);
  }
  transpose_blocks<kBlock>(d, rows, columns);
}

// One vector to each row of the destination, whose addresses go on likewise.
template <bool kStream, int kRow, int kRows, class D, class V>
HWY_INLINE void store_row(D d, V v, std::byte*& dst, std::int64_t stride) {
  auto* const to = at<hn::TFromD<D> >(dst + (kRows <= 4 ? kRow : kRow % 2) * stride);
  if constexpr (kStream) {
    hn::Stream(v, d, to);
  } else {
    hn::StoreU(v, d, to);
  }
  if constexpr (kRows > 4 && kRow % 2 == 1) advance(dst, 2 * stride);
}
template <bool kStream, class D, class V, int kRows, std::size_t... kRow>
HWY_INLINE void store_columns(D d, const V (&columns)[kRows], std::byte* dst,
                              std::int64_t dst_stride, std::index_sequence<kRow...>) {
  (store_row<kStream, kRow, kRows>(d, columns[kRow], dst, dst_stride), ...);
}

// kBlocks blocks of rows from `src` to as many columns from `dst`; `step` bytes from block to
// block, kBlock rows where nothing else is said.
template <class T, int kBlocks, bool kStream>
HWY_INLINE void transpose_rows(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                               std::int64_t src_stride, std::int64_t step) {
  using Lane = LaneOf<T>;
  constexpr int kBlock = 16 / sizeof(T);
  const hn::CappedTag<Lane, 16 * kBlocks / sizeof(Lane)> d;
  hn::Vec<decltype(d)> columns[kBlock];
  load_columns<T, kBlocks>(columns, src, src_stride, step, std::make_index_sequence<kBlock>());
  store_columns<kStream>(d, columns, dst, dst_stride, std::make_index_sequence<kBlock>());
}

template <class D, class V>
HWY_INLINE void stream_line(D d, V first, V second, std::byte* to) {
  hn::Stream(first, d, at<hn::TFromD<D> >(to));
  hn::Stream(second, d, at<hn::TFromD<D> >(to + kLine / 2));
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
  const std::byte* const next = src + 2 * step;
  if constexpr (kBlock <= 4) {
    V first[kBlock], second[kBlock];
    load_columns<T, 2>(first, src, src_stride, step, std::make_index_sequence<kBlock>());
    load_columns<T, 2>(second, next, src_stride, step, std::make_index_sequence<kBlock>());
#pragma GCC unroll 4
    for (int i = 0; i < kBlock; ++i) stream_line(d, first[i], second[i], dst + i * dst_stride);
  } else {
    alignas(kLine) std::byte lines[kBlock * kLine];
    transpose_rows<T, 2, false>(lines, kLine, src, src_stride, step);
    transpose_rows<T, 2, false>(lines + kHalf, kLine, next, src_stride, step);
    for (int i = 0; i < kBlock; ++i) {
      std::byte* const from = lines + i * kLine;
      stream_line(d, hn::Load(d, at<Lane>(from)), hn::Load(d, at<Lane>(from + kHalf)),
                  dst + i * dst_stride);
    }
  }
}

// Bytes are faster by two blocks where a vector holds four (Zen 5 measured).
template <class T>
inline constexpr int kTileBlocks = sizeof(T) == 1 ? std::min(kBlocksPerVector, 2)
                                                  : kBlocksPerVector;

// dst row c, element r = src row r, element c; `rows` and `cols` are rounded up to whole vectors
// and blocks. Every row of the destination is written front to back before the next.
template <class T, int kBlocks = kTileBlocks<T>, bool kStream = false>
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

// kBlocks blocks of rows behind each other to columns anywhere, from byte `at_row` of each on.
template <class T, int kBlocks>
HWY_INLINE void transpose_blocks_to(std::byte* const* columns, std::int64_t at_row,
                                    const std::byte* src, std::int64_t src_stride) {
  using Lane = LaneOf<T>;
  constexpr int kBlock = 16 / sizeof(T);
  const hn::CappedTag<Lane, 16 * kBlocks / sizeof(Lane)> d;
  hn::Vec<decltype(d)> v[kBlock];
  load_columns<T, kBlocks>(v, src, src_stride, kBlock * src_stride,
                           std::make_index_sequence<kBlock>());
#pragma GCC unroll 16
  for (int i = 0; i < kBlock; ++i) hn::StoreU(v[i], d, at<Lane>(columns[i] + at_row));
}

#endif

// Rows between memory and a tile.
inline void move_rows(std::int64_t rows, std::int64_t bytes, std::byte* dst,
                      std::int64_t dst_stride, const std::byte* src, std::int64_t src_stride) {
  CopyTile tile;
  tile.bytes = bytes;
  tile.inner = {rows, dst_stride, src_stride};
  find_rows_kernel(tile)(tile, dst, src);
}

// Rows this far apart fall into so few sets of the first-level cache that a tile of them does not
// stay there: such a tile is first copied together. Most processors have eight ways, those with
// vectors of 512 bits twelve as a rule; 16 rows that are read and written in whole lines, or go
// past the caches, are faster where they lie even so.
inline constexpr std::int64_t kWays = kBlocksPerVector == 4 ? 12 : 8, kWholeWays = 16;
inline bool rows_collide(std::int64_t stride, std::int64_t rows, std::int64_t ways = kWays) {
  constexpr std::int64_t kPeriod = 4096;
  std::int64_t sets = kPeriod / 64;
  for (std::int64_t step = 64; step < kPeriod && stride % (2 * step) == 0; step *= 2) sets /= 2;
  return rows > sets * ways;
}

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
