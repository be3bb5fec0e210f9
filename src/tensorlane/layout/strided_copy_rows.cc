// Rows of any width, strides outside.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/layout/strided_copy_rows.cc"  // NOLINT
#include <hwy/foreach_target.h>                                      // must come before highway.h
//
#include <numeric>

#include "tensorlane/layout/strided_copy_simd_internal.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {
namespace {

// How one row is moved. kFixed: exactly kBytes. kTwice: kBytes < bytes <= 2 * kBytes, as two moves
// that overlap in the middle of the row.
template <std::size_t kBytes>
struct FixedMove {
  static constexpr int kRows = 4;
  static void move(std::byte* dst, const std::byte* src, std::size_t) {
    std::memcpy(dst, src, kBytes);
  }
};
template <std::size_t kBytes>
struct DoubleMove {
  static constexpr int kRows = 2;
  static void move(std::byte* dst, const std::byte* src, std::size_t bytes) {
    std::memcpy(dst, src, kBytes);
    std::memcpy(dst + bytes - kBytes, src + bytes - kBytes, kBytes);
  }
};
// 64 bytes or more, whole lines and the last one reaching back into the row.
struct LongMove {
  static constexpr int kRows = 1;
  static void move(std::byte* dst, const std::byte* src, std::size_t size) {
    std::int64_t bytes = static_cast<std::int64_t>(size);
    move_lines<1, 1, Store::kCached>(dst + bytes - kLine, 0, src + bytes - kLine, 0);
    // Stores that cross lines cost twice: long rows go on at the next line of the destination.
    if (const std::int64_t head = (kLine - misalignment(dst)) % kLine; head != 0 && bytes >= 512) {
      move_lines<1, 1, Store::kCached>(dst, 0, src, 0);
      dst += head;
      src += head;
      bytes -= head;
    }
    move_piece<Store::kCached>(dst, src, bytes / kLine * kLine);
  }
};
struct LibraryMove {
  static constexpr int kRows = 1;
  static void move(std::byte* dst, const std::byte* src, std::size_t bytes) {
    std::memcpy(dst, src, bytes);
  }
};

template <class Move>
void copy_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const CopyLoop inner = tile.inner;
  const std::size_t bytes = static_cast<std::size_t>(tile.bytes);
  for_each_stretch(tile, dst, src,
                   [&](std::int64_t n, std::byte* to, const std::byte* from) HWY_ATTR {
                     for (; n >= Move::kRows; n -= Move::kRows) {
                       for (int row = 0; row < Move::kRows; ++row) {
                         Move::move(to + row * inner.dst, from + row * inner.src, bytes);
                       }
                       to += Move::kRows * inner.dst;
                       from += Move::kRows * inner.src;
                     }
                     for (; n > 0; --n, to += inner.dst, from += inner.src) {
                       Move::move(to, from, bytes);
                     }
                   });
}

// Rows of 64, 128 or 256 bytes.
template <int kLines, Store kStore>
void copy_line_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  constexpr int kRows = std::max(1, kLinesAtOnce / kLines);
  const CopyLoop inner = tile.inner;
  for_each_stretch(tile, dst, src,
                   [&](std::int64_t n, std::byte* to, const std::byte* from) HWY_ATTR {
                     for (; n >= kRows; n -= kRows) {
                       move_lines<kLines, kRows, kStore>(to, inner.dst, from, inner.src);
                       to += kRows * inner.dst;
                       from += kRows * inner.src;
                     }
                     for (; n > 0; --n, to += inner.dst, from += inner.src) {
                       move_lines<kLines, 1, kStore>(to, 0, from, 0);
                     }
                   });
}

// Rows of any number of whole lines, past the caches.
void stream_long_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  for (std::int64_t o = 0; o < tile.outer.n; ++o) {
    for (std::int64_t i = 0; i < tile.inner.n; ++i) {
      move_piece<Store::kStream>(dst + o * tile.outer.dst + i * tile.inner.dst,
                                 src + o * tile.outer.src + i * tile.inner.src, tile.bytes);
    }
  }
}

CopyKernel find_rows(std::int64_t bytes) {
  switch (bytes) {
    case 1:
      return copy_rows<FixedMove<1>>;
    case 2:
      return copy_rows<FixedMove<2>>;
    case 4:
      return copy_rows<FixedMove<4>>;
    case 8:
      return copy_rows<FixedMove<8>>;
    case 12:
      return copy_rows<FixedMove<12>>;
    case 16:
      return copy_rows<FixedMove<16>>;
    case 32:
      return copy_rows<FixedMove<32>>;
    case 64:
      return copy_line_rows<1, Store::kCached>;
    case 128:
      return copy_line_rows<2, Store::kCached>;
    case 256:
      return copy_line_rows<4, Store::kCached>;
    default:
      break;
  }
  if (bytes <= 4) return copy_rows<DoubleMove<2>>;
  if (bytes <= 8) return copy_rows<DoubleMove<4>>;
  if (bytes <= 16) return copy_rows<DoubleMove<8>>;
  if (bytes <= 32) return copy_rows<DoubleMove<16>>;
  if (bytes <= 64) return copy_rows<DoubleMove<32>>;
  constexpr std::int64_t kLongest = 1024;  // beyond, the library's copy does as well
  return bytes <= kLongest ? copy_rows<LongMove> : copy_rows<LibraryMove>;
}

// Rows without gaps in the destination, packed in the first-level cache and written from there past
// the caches. Returns false where the destination or the width does not allow it.
bool stream_packed(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  constexpr std::int64_t kMost = 16 << 10;
  const std::int64_t group = kLine / std::gcd(tile.bytes, kLine);  // rows that fill whole lines
  if (tile.inner.dst != tile.bytes ||
      !is_line_aligned(dst, tile.outer.n > 1 ? tile.outer.dst : 0) || group * tile.bytes > kMost ||
      tile.inner.n < group) {
    return false;
  }
  alignas(kLine) std::byte packed[kMost];
  const CopyKernel pack = find_rows(tile.bytes);
  CopyTile part = tile;
  part.outer = {};
  const std::int64_t rows = kMost / 4 / (group * tile.bytes) * group;
  const std::int64_t step = std::max(group, rows);
  for (std::int64_t o = 0; o < tile.outer.n; ++o) {
    std::byte* to = dst + o * tile.outer.dst;
    const std::byte* from = src + o * tile.outer.src;
    std::int64_t i = 0;
    for (part.inner.n = step; i + step <= tile.inner.n; i += step) {
      pack(part, packed, from + i * tile.inner.src);
      move_piece<Store::kStream>(to + i * tile.bytes, packed, step * tile.bytes);
    }
    part.inner.n = tile.inner.n - i;
    pack(part, to + i * tile.bytes, from + i * tile.inner.src);
  }
  return true;
}

void stream_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const bool whole_lines = tile.bytes % kLine == 0 && is_line_aligned(dst, tile.inner.dst) &&
                           tile.outer.dst % kLine == 0;
  if (!whole_lines) {
    if (!stream_packed(tile, dst, src)) find_rows(tile.bytes)(tile, dst, src);
  } else if (tile.bytes == 64) {
    copy_line_rows<1, Store::kStream>(tile, dst, src);
  } else if (tile.bytes == 128) {
    copy_line_rows<2, Store::kStream>(tile, dst, src);
  } else {
    stream_long_rows(tile, dst, src);
  }
  hwy::FlushStream();
}

CopyKernel find_kernel(const CopyTile& tile) {
  constexpr std::int64_t kLongest = 4096;  // beyond, the library's copy does as well
  return tile.stream && tile.bytes <= kLongest ? stream_rows : find_rows(tile.bytes);
}

}  // namespace

CopyKernel find_rows_kernel(const CopyTile& tile) {
  return find_kernel(tile);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::copy_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::copy_internal {

HWY_EXPORT(find_rows_kernel);

CopyKernel find_rows_kernel(const CopyTile& tile) {
  return HWY_DYNAMIC_DISPATCH(find_rows_kernel)(tile);
}

}  // namespace tensorlane::copy_internal
#endif  // HWY_ONCE
