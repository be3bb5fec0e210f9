// Memory access shared by the kernels of the strided copy; included once per CPU target.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "tensorlane/layout/strided_copy_internal.h"

#if defined(TENSORLANE_LAYOUT_STRIDED_COPY_SIMD_INTERNAL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef TENSORLANE_LAYOUT_STRIDED_COPY_SIMD_INTERNAL_H_
#undef TENSORLANE_LAYOUT_STRIDED_COPY_SIMD_INTERNAL_H_
#else
#define TENSORLANE_LAYOUT_STRIDED_COPY_SIMD_INTERNAL_H_
#endif

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// An element of `T` anywhere in memory.
template <class T>
struct __attribute__((packed, may_alias)) Unaligned {
  T value;
};

template <class T>
T* at(std::byte* address) {
  return reinterpret_cast<T*>(address);
}
template <class T>
const T* at(const std::byte* address) {
  return reinterpret_cast<const T*>(address);
}

inline constexpr std::int64_t kLine = 64;  // bytes of a cache line

inline std::int64_t misalignment(const std::byte* address) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(address) % kLine);
}
// True when every row starts at a cache line.
inline bool is_line_aligned(const std::byte* first, std::int64_t stride) {
  return misalignment(first) == 0 && stride % kLine == 0;
}

// Asks for a line that will be written: unless it is there before its store, the store waits for
// it, and the hardware looks ahead of loads only. Any address is allowed.
HWY_INLINE void prefetch_written(const std::byte* address) {
#if HWY_ARCH_X86
  // The compilers turn their own prefetch for writing into one for reading, for processors so old
  // that they have no other.
  asm volatile("prefetchw (%0)" : : "r"(address));
#else
  __builtin_prefetch(address, 1);
#endif
}
// How far ahead, in bytes written; 256 to 3072 do alike. Kernels do not ask beyond their last row:
// the next one may lie far away, and what is fetched for nothing displaces the copy itself.
inline constexpr std::int64_t kWrittenAhead = 512;

// Lines that are loaded before the first of them is stored: half of the registers. Loads in a row
// do not wait for stores to addresses that look alike.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int kLinesAtOnce = 8;
#elif HWY_TARGET <= HWY_AVX2
inline constexpr int kLinesAtOnce = 4;
#else
inline constexpr int kLinesAtOnce = 2;
#endif

// How whole lines reach the destination: through the caches, or past them (aligned lines only).
enum class Store { kCached, kStream };

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

// Moves kRows rows of kLines lines.
template <int kLines, int kRows, Store>
HWY_INLINE void move_lines(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                           std::int64_t src_stride) {
  for (int row = 0; row < kRows; ++row) {
    std::memcpy(dst + row * dst_stride, src + row * src_stride, kLines * kLine);
  }
}

#else

template <int kLines, int kRows, Store kStore>
HWY_INLINE void move_lines(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                           std::int64_t src_stride) {
  const hn::CappedTag<std::uint8_t, kLine> d;
  constexpr int kBytes = static_cast<int>(hn::MaxLanes(d));
  constexpr int kVectors = kLines * static_cast<int>(kLine) / kBytes;
  hn::Vec<decltype(d)> v[kRows * kVectors];
  // Without loops: the compiler keeps arrays that loops go over in memory.
#pragma GCC unroll 16
  for (int i = 0; i < kRows * kVectors; ++i) {
    v[i] = hn::LoadU(d, at<std::uint8_t>(src + i / kVectors * src_stride + i % kVectors * kBytes));
  }
#pragma GCC unroll 16
  for (int i = 0; i < kRows * kVectors; ++i) {
    std::uint8_t* to = at<std::uint8_t>(dst + i / kVectors * dst_stride + i % kVectors * kBytes);
    if constexpr (kStore == Store::kStream) {
      hn::Stream(v[i], d, to);
    } else {
      hn::StoreU(v[i], d, to);
    }
  }
}

#endif

// Moves kCount lines and asks for those `ahead` bytes on, which are about to be written, if any.
template <int kCount, Store kStore>
HWY_INLINE void move_and_ask(std::byte* dst, const std::byte* src, std::int64_t ahead) {
  if (kStore == Store::kCached && ahead != 0) {
    for (int i = 0; i < kCount; ++i) prefetch_written(dst + ahead + i * kLine);
  }
  move_lines<kCount, 1, kStore>(dst, 0, src, 0);
}

// One contiguous piece of whole lines; `ahead` is the distance to the lines to ask for.
template <Store kStore>
HWY_INLINE void move_piece(std::byte* dst, const std::byte* src, std::int64_t bytes,
                           std::int64_t ahead = kWrittenAhead) {
  constexpr std::int64_t kStep = kLinesAtOnce * kLine;
  std::int64_t i = 0;
  for (; i + kStep <= bytes; i += kStep) {
    move_and_ask<kLinesAtOnce, kStore>(dst + i, src + i, ahead);
  }
  for (; i < bytes; i += kLine) move_and_ask<1, kStore>(dst + i, src + i, ahead);
}

// Calls piece(begin) for all whole pieces of `step` in [begin, end), in turn from four places:
// memory answers several streams sooner than one. Returns where the rest begins.
template <class Piece>
HWY_INLINE std::int64_t for_each_piece(std::int64_t begin, std::int64_t end, std::int64_t step,
                                       const Piece& piece) {
  constexpr std::int64_t kStreams = 4;
  const std::int64_t pieces = (end - begin) / step, share = pieces / kStreams;
  for (std::int64_t i = 0; i < share; ++i) {
    for (std::int64_t k = 0; k < kStreams; ++k) piece(begin + (k * share + i) * step);
  }
  for (std::int64_t i = kStreams * share; i < pieces; ++i) piece(begin + i * step);
  return begin + pieces * step;
}

// Rows whose source neighbours lie in the outer loop are read in blocks, so that a cache line is
// used up before it is lost.
inline constexpr std::int64_t kBlockRows = 64;

inline std::int64_t block_rows(const CopyTile& tile) {
  const bool crossed = tile.outer.n > 1 && tile.inner.n > kBlockRows &&
                       std::abs(tile.outer.src) < std::abs(tile.inner.src);
  return crossed ? kBlockRows : tile.inner.n;
}

// Calls rows(count, first row of the destination, of the source) for every stretch of inner rows.
template <class Rows>
HWY_INLINE void for_each_stretch(const CopyTile& tile, std::byte* dst, const std::byte* src,
                                 const Rows& rows) {
  const CopyLoop inner = tile.inner, outer = tile.outer;
  const std::int64_t block = block_rows(tile);
  for (std::int64_t begin = 0; begin < inner.n; begin += block) {
    const std::int64_t count = std::min(block, inner.n - begin);
    for (std::int64_t o = 0; o < outer.n; ++o) {
      rows(count, dst + o * outer.dst + begin * inner.dst, src + o * outer.src + begin * inner.src);
    }
  }
}

}  // namespace
}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::copy_internal
HWY_AFTER_NAMESPACE();

#endif  // per-target include guard
