// Rows of any width, strides outside.
#include "tensorlane/base/simd_targets.h"

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

// Short rows are asked for some rows ahead: the gaps between them hide them from the hardware.
constexpr std::int64_t kRowsAhead = 32;

HWY_INLINE void prefetch_row(const std::byte* row, std::int64_t bytes) {
  if (bytes > 1024) return;
  for (std::int64_t i = 0; i < bytes; i += kLine) hwy::Prefetch(at<std::uint8_t>(row + i));
}

// Rows from the one that is written to the one to ask for; 0 to ask for none.
std::int64_t rows_ahead(const CopyTile& tile) {
  if (tile.near) return 0;
  return std::max<std::int64_t>(1, kWrittenAhead / ((tile.bytes + kLine - 1) / kLine * kLine));
}

// How one row is moved; `ahead` is the way to the row that should be asked for meanwhile, 0 where
// there is none.
//
// Exactly kBytes.
template <std::size_t kBytes>
struct FixedMove {
  static constexpr int kRows = 4;
  static void move(std::byte* dst, const std::byte* src, std::size_t, std::int64_t) {
    std::memcpy(dst, src, kBytes);
  }
};
// kBytes < bytes <= 2 * kBytes, as two moves that overlap in the middle of the row.
template <std::size_t kBytes>
struct DoubleMove {
  static constexpr int kRows = 2;
  static void move(std::byte* dst, const std::byte* src, std::size_t bytes, std::int64_t) {
    std::memcpy(dst, src, kBytes);
    std::memcpy(dst + bytes - kBytes, src + bytes - kBytes, kBytes);
  }
};
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
template <std::size_t kBytes>
using VectorMove = DoubleMove<kBytes>;
#else
// The same of vectors, all of which are loaded before the first is stored: a load waits for a store
// to an address that looks alike.
template <std::size_t kBytes>
struct VectorMove {
  static constexpr int kRows = 1;
  static HWY_INLINE void move(std::byte* dst, const std::byte* src, std::size_t bytes,
                              std::int64_t) {
    const hn::CappedTag<std::uint8_t, kBytes> d;
    constexpr std::size_t kLanes = hn::MaxLanes(d), kEach = kBytes / kLanes;
    const std::size_t last = bytes - kBytes;
    hn::Vec<decltype(d)> v[2 * kEach];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kEach; ++i) {
      v[i] = hn::LoadU(d, at<std::uint8_t>(src + i * kLanes));
      v[kEach + i] = hn::LoadU(d, at<std::uint8_t>(src + last + i * kLanes));
    }
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kEach; ++i) {
      hn::StoreU(v[i], d, at<std::uint8_t>(dst + i * kLanes));
      hn::StoreU(v[kEach + i], d, at<std::uint8_t>(dst + last + i * kLanes));
    }
  }
};
#endif
// Half a line, then pieces of 16 bytes, of which the last reaches back: where lines are far away as
// those of NPUs are, long stores that overlap wait for each other.
template <bool kThree>  // 49 to 64 bytes, else 33 to 48
struct HalfLineMove {
  static constexpr int kRows = 2;
  static void move(std::byte* dst, const std::byte* src, std::size_t bytes, std::int64_t) {
    std::memcpy(dst, src, 32);
    if constexpr (kThree) std::memcpy(dst + 32, src + 32, 16);
    std::memcpy(dst + bytes - 16, src + bytes - 16, 16);
  }
};
// 16 * kPieces to twice as many bytes in two moves of short vectors: where each row goes to a page
// of its own that takes half the time.
template <int kPieces>
struct SpreadMove {
  static constexpr int kRows = 2;
  static void move(std::byte* dst, const std::byte* src, std::size_t bytes, std::int64_t) {
    part(dst, src);
    part(dst + bytes - 16 * kPieces, src + bytes - 16 * kPieces);
  }

 private:
#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
  static void part(std::byte* dst, const std::byte* src) {
    std::memcpy(dst, src, std::size_t{16} * kPieces);
  }
#else
  static HWY_INLINE void part(std::byte* dst, const std::byte* src) {
    const hn::Full128<std::uint8_t> d;
    hn::Vec<decltype(d)> v[kPieces];
#pragma GCC unroll 8
    for (int i = 0; i < kPieces; ++i) v[i] = hn::LoadU(d, at<std::uint8_t>(src + 16 * i));
#pragma GCC unroll 8
    for (int i = 0; i < kPieces; ++i) hn::StoreU(v[i], d, at<std::uint8_t>(dst + 16 * i));
  }
#endif
};
// 64 bytes or more, whole lines and the last one reaching back into the row.
struct LongMove {
  static constexpr int kRows = 1;
  static void move(std::byte* dst, const std::byte* src, std::size_t size, std::int64_t ahead) {
    std::int64_t bytes = static_cast<std::int64_t>(size);
    move_lines<1, 1, Store::kCached>(dst + bytes - kLine, 0, src + bytes - kLine, 0);
    // Stores that cross lines cost twice: long rows go on at the next line of the destination.
    if (const std::int64_t head = (kLine - misalignment(dst)) % kLine; head != 0 && bytes >= 512) {
      move_lines<1, 1, Store::kCached>(dst, 0, src, 0);
      dst += head;
      src += head;
      bytes -= head;
    }
    move_piece<Store::kCached>(dst, src, bytes / kLine * kLine, ahead);
  }
};
struct LibraryMove {
  static constexpr int kRows = 1;
  static void move(std::byte* dst, const std::byte* src, std::size_t bytes, std::int64_t) {
    std::memcpy(dst, src, bytes);
  }
};

template <class Move>
void copy_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const CopyLoop inner = tile.inner;
  const std::size_t bytes = static_cast<std::size_t>(tile.bytes);
  const std::int64_t ahead = rows_ahead(tile);
  for_each_stretch(tile, dst, src,
                   [&](std::int64_t n, std::byte* to, const std::byte* from) HWY_ATTR {
                     for (; Move::kRows > 1 && n >= Move::kRows; n -= Move::kRows) {
                       for (int row = 0; row < Move::kRows; ++row) {
                         Move::move(to + row * inner.dst, from + row * inner.src, bytes, 0);
                       }
                       to += Move::kRows * inner.dst;
                       from += Move::kRows * inner.src;
                     }
                     for (; n > 0; --n, to += inner.dst, from += inner.src) {
                       Move::move(to, from, bytes, std::min(ahead, n - 1) * inner.dst);
                     }
                   });
}

#if HWY_TARGET <= HWY_AVX3

using Line = hn::Full512<std::uint8_t>;

// More than 32 bytes: whole lines and the rest of the row under a mask, so that no byte is written
// twice and no store waits for another.
struct MaskedMove {
  static constexpr int kRows = 1;
  static void move(std::byte* dst, const std::byte* src, std::size_t size, std::int64_t ahead) {
    const Line d;
    std::int64_t bytes = static_cast<std::int64_t>(size);
    // Stores that cross lines cost twice: long rows go on at the next line of the destination.
    if (const std::int64_t head = (kLine - misalignment(dst)) % kLine; head != 0 && bytes >= 512) {
      move_lines<1, 1, Store::kCached>(dst, 0, src, 0);
      dst += head;
      src += head;
      bytes -= head;
    }
    const std::int64_t whole = bytes / kLine * kLine;
    move_piece<Store::kCached>(dst, src, whole, ahead);
    if (whole == bytes) return;
    prefetch_written(dst + whole + ahead);
    const auto rest = hn::FirstN(d, static_cast<std::size_t>(bytes - whole));
    hn::BlendedStore(hn::MaskedLoad(rest, d, at<std::uint8_t>(src + whole)), rest, d,
                     at<std::uint8_t>(dst + whole));
  }
};
// The same for rows of few lines.
template <int kWhole>
struct ShortMove {
  static constexpr int kRows = 1;
  static void move(std::byte* dst, const std::byte* src, std::size_t size, std::int64_t ahead) {
    const Line d;
    constexpr std::int64_t kBytes = kWhole * kLine;
    const auto rest = hn::FirstN(d, size - static_cast<std::size_t>(kBytes));
    const auto end = hn::MaskedLoad(rest, d, at<std::uint8_t>(src + kBytes));
    if (ahead != 0) {
      for (int i = 0; i <= kWhole; ++i) prefetch_written(dst + ahead + i * kLine);
    }
    if constexpr (kWhole > 0) move_lines<kWhole, 1, Store::kCached>(dst, 0, src, 0);
    hn::BlendedStore(end, rest, d, at<std::uint8_t>(dst + kBytes));
  }
};
// And for rows of less than two lines where caches answer soon.
template <int kWhole>
void copy_masked_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const Line d;
  const CopyLoop inner = tile.inner;
  constexpr std::int64_t kBytes = kWhole * kLine;
  const auto rest = hn::FirstN(d, static_cast<std::size_t>(tile.bytes - kBytes));
  for_each_stretch(tile, dst, src,
                   [&](std::int64_t n, std::byte* to, const std::byte* from) HWY_ATTR {
                     for (; n > 0; --n, to += inner.dst, from += inner.src) {
                       const auto end = hn::MaskedLoad(rest, d, at<std::uint8_t>(from + kBytes));
                       if constexpr (kWhole > 0) move_lines<1, 1, Store::kCached>(to, 0, from, 0);
                       hn::BlendedStore(end, rest, d, at<std::uint8_t>(to + kBytes));
                     }
                   });
}
CopyKernel find_masked(const CopyTile& tile) {
  if (tile.cached && tile.bytes < 2 * kLine)
    return tile.bytes < kLine ? copy_masked_rows<0> : copy_masked_rows<1>;
  switch (tile.bytes / kLine) {
    case 0:
      return copy_rows<ShortMove<0>>;
    case 1:
      return copy_rows<ShortMove<1>>;
    case 2:
      return copy_rows<ShortMove<2>>;
    case 3:
      return copy_rows<ShortMove<3>>;
    default:
      return copy_rows<MaskedMove>;
  }
}
constexpr std::int64_t kShortestMasked = 33;

#else

// Short rows in two moves that overlap, which take less to decide than lines do: where caches
// answer soon.
CopyKernel find_masked(const CopyTile& tile) {
  if (tile.cached && tile.bytes <= 128) return copy_rows<VectorMove<64>>;
  const bool two_moves = tile.bytes >= 128 && tile.bytes <= 256;
  return !tile.far && two_moves ? copy_rows<VectorMove<128>> : copy_rows<LongMove>;
}
constexpr std::int64_t kShortestMasked = 65;

#endif

// Rows of 64, 128 or 256 bytes.
template <int kLines, Store kStore>
void copy_line_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  constexpr int kRows = std::max(1, kLinesAtOnce / kLines);
  const std::int64_t ahead = rows_ahead(tile);
  const CopyLoop inner = tile.inner;
  for_each_stretch(
      tile, dst, src, [&](std::int64_t n, std::byte* to, const std::byte* from) HWY_ATTR {
        for (; n >= kRows; n -= kRows) {
          for (int row = 0; row < kRows; ++row) {
            if constexpr (kStore == Store::kStream) {
              prefetch_row(from + (kRowsAhead + row) * inner.src, tile.bytes);
            } else {
              if (ahead == 0) continue;
              const std::byte* later = to + (std::min(ahead, n - kRows) + row) * inner.dst;
              for (int i = 0; i < kLines; ++i) prefetch_written(later + i * kLine);
            }
          }
          move_lines<kLines, kRows, kStore>(to, inner.dst, from, inner.src);
          to += kRows * inner.dst;
          from += kRows * inner.src;
        }
        for (; n > 0; --n, to += inner.dst, from += inner.src) {
          move_lines<kLines, 1, kStore>(to, 0, from, 0);
        }
      });
}

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE
constexpr CopyKernel kCopyBlocks = copy_rows<FixedMove<16>>;
#else
// Rows of 16 bytes, four of which are loaded before the first is stored (see VectorMove).
void copy_blocks(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const hn::Full128<std::uint8_t> d;
  const CopyLoop inner = tile.inner;
  const auto load = [&](const std::byte* from)
                        HWY_ATTR { return hn::LoadU(d, at<std::uint8_t>(from)); };
  const auto store = [&](auto block, std::byte* to)
                         HWY_ATTR { hn::StoreU(block, d, at<std::uint8_t>(to)); };
  for_each_stretch(tile, dst, src,
                   [&](std::int64_t n, std::byte* to, const std::byte* from) HWY_ATTR {
                     for (; n >= 4; n -= 4, to += 4 * inner.dst, from += 4 * inner.src) {
                       const auto first = load(from), second = load(from + inner.src);
                       const auto third = load(from + 2 * inner.src);
                       const auto fourth = load(from + 3 * inner.src);
                       store(first, to);
                       store(second, to + inner.dst);
                       store(third, to + 2 * inner.dst);
                       store(fourth, to + 3 * inner.dst);
                     }
                     for (; n > 0; --n, to += inner.dst, from += inner.src) store(load(from), to);
                   });
}
constexpr CopyKernel kCopyBlocks = copy_blocks;
#endif

constexpr std::int64_t kPage = 4096;

// Whether rows that lie side by side go to pages apart, a few to each, as to NPUs: their loads look
// like stores so often that vectors under masks wait for each other.
bool spreads_in_turns(const CopyTile& tile) {
  return tile.outer.n > 1 && tile.inner.dst < kPage && tile.outer.dst >= kPage &&
         std::abs(tile.outer.src) < kPage && std::abs(tile.inner.src) < tile.outer.dst;
}

CopyKernel find_rows(const CopyTile& tile) {
  const std::int64_t bytes = tile.bytes;
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
      return kCopyBlocks;
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
  if (bytes <= 32) return copy_rows<VectorMove<16>>;
  if (tile.near && tile.inner.dst >= kPage && bytes > 64 && bytes <= 256)
    return bytes <= 128 ? copy_rows<SpreadMove<4>> : copy_rows<SpreadMove<8>>;
  if (bytes < kShortestMasked || (tile.near && bytes < kLine && spreads_in_turns(tile))) {
    if (bytes <= 48) return copy_rows<HalfLineMove<false>>;
    return tile.near ? copy_rows<HalfLineMove<true>> : copy_rows<VectorMove<32>>;
  }
  // Beyond, the library's copy does as well; where all is in the second-level cache better,
  // earlier.
  const std::int64_t longest = tile.cached ? 2048 : 8192;
  return bytes <= longest ? find_masked(tile) : copy_rows<LibraryMove>;
}

// Rows of any number of whole lines, past the caches.
void stream_whole_lines(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  for (std::int64_t o = 0; o < tile.outer.n; ++o) {
    for (std::int64_t i = 0; i < tile.inner.n; ++i) {
      const std::byte* from = src + o * tile.outer.src + i * tile.inner.src;
      prefetch_row(from + kRowsAhead * tile.inner.src, tile.bytes);
      move_piece<Store::kStream>(dst + o * tile.outer.dst + i * tile.inner.dst, from, tile.bytes);
    }
  }
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
  const CopyKernel pack = find_rows(tile);
  CopyTile part = tile;
  part.outer = {};
  const std::int64_t rows = kMost / 4 / (group * tile.bytes) * group;
  const std::int64_t step = std::max(group, rows);
  for (std::int64_t o = 0; o < tile.outer.n; ++o) {
    std::byte* to = dst + o * tile.outer.dst;
    const std::byte* from = src + o * tile.outer.src;
    std::int64_t i = 0;
    for (part.inner.n = step; i + step <= tile.inner.n; i += step) {
      for (std::int64_t row = i + step; row < i + 2 * step; ++row) {
        prefetch_row(from + row * tile.inner.src, tile.bytes);
      }
      pack(part, packed, from + i * tile.inner.src);
      move_piece<Store::kStream>(to + i * tile.bytes, packed, step * tile.bytes);
    }
    part.inner.n = tile.inner.n - i;
    pack(part, to + i * tile.bytes, from + i * tile.inner.src);
  }
  return true;
}

#if HWY_TARGET <= HWY_AVX3

// Rows of 64 bytes or more without gaps in the destination: every line of it is put together from
// the end of one row and the begin of the next, and written past the caches.
void stream_dense_row(std::int64_t rows, const CopyTile& tile, std::byte* dst,
                      const std::byte* src) {
  const Line d;
  const std::int64_t step = tile.inner.src;
  // Bytes of the current row that are written already; at first, those before the first line.
  std::int64_t done = (kLine - misalignment(dst)) % kLine;
  if (done > 0) std::memcpy(dst, src, static_cast<std::size_t>(done));
  dst += done;
  for (std::int64_t row = 0; row < rows; ++row, src += step) {
    prefetch_row(src + kRowsAhead * step, tile.bytes);
    const std::int64_t whole = (tile.bytes - done) / kLine * kLine;
    const std::int64_t rest = tile.bytes - done - whole;
    move_piece<Store::kStream>(dst, src + done, whole);
    dst += whole;
    done = 0;
    if (rest == 0) continue;
    const std::byte* last = src + tile.bytes - rest;
    const auto here = hn::FirstN(d, static_cast<std::size_t>(rest));
    const auto end = hn::MaskedLoad(here, d, at<std::uint8_t>(last));
    if (row + 1 == rows) {
      hn::BlendedStore(end, here, d, at<std::uint8_t>(dst));
    } else {
      const std::byte* next = src + step - rest;
      const auto begin = hn::MaskedLoad(hn::Not(here), d, at<std::uint8_t>(next));
      hn::Stream(hn::Or(end, begin), d, at<std::uint8_t>(dst));
      dst += kLine;
      done = kLine - rest;
    }
  }
}

bool stream_dense(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  if (tile.inner.dst != tile.bytes || tile.bytes < kLine) return false;
  for (std::int64_t o = 0; o < tile.outer.n; ++o) {
    stream_dense_row(tile.inner.n, tile, dst + o * tile.outer.dst, src + o * tile.outer.src);
  }
  return true;
}

// Whole lines in the way of `kStore`, the rest of the row under a mask through the caches.
template <Store kStore>
void copy_rows_ahead(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const Line d;
  const std::int64_t whole = tile.bytes / kLine * kLine;
  const std::int64_t needed = kStore == Store::kStream ? whole : 0;  // lines that stores wait for
  const auto rest = hn::FirstN(d, static_cast<std::size_t>(tile.bytes - whole));
  for (std::int64_t o = 0; o < tile.outer.n; ++o) {
    for_each_piece(0, tile.inner.n, 1, [&](std::int64_t row) HWY_ATTR {
      std::byte* to = dst + o * tile.outer.dst + row * tile.inner.dst;
      const std::byte* from = src + o * tile.outer.src + row * tile.inner.src;
      const std::byte* later = to + kRowsAhead * tile.inner.dst;
      prefetch_row(from + kRowsAhead * tile.inner.src, tile.bytes);
      for (std::int64_t i = needed; i < tile.bytes; i += kLine) prefetch_written(later + i);
      move_piece<kStore>(to, from, whole, 0);
      hn::BlendedStore(hn::MaskedLoad(rest, d, at<std::uint8_t>(from + whole)), rest, d,
                       at<std::uint8_t>(to + whole));
    });
  }
}

// Rows with gaps in the destination. Past the caches where they start at lines and most of their
// lines are whole.
bool stream_spread(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  if (tile.bytes < kLine) return false;
  const bool aligned = is_line_aligned(dst, tile.inner.dst) && tile.outer.dst % kLine == 0;
  const bool mostly_whole = tile.bytes >= 3 * kLine;
  const CopyKernel copy =
      aligned && mostly_whole ? copy_rows_ahead<Store::kStream> : copy_rows_ahead<Store::kCached>;
  copy(tile, dst, src);
  return true;
}

#else

bool stream_dense(const CopyTile&, std::byte*, const std::byte*) {
  return false;
}
bool stream_spread(const CopyTile&, std::byte*, const std::byte*) {
  return false;
}

#endif

// The ways past the caches, the most direct first; where none fits, through them.
void stream_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const bool whole_lines = tile.bytes % kLine == 0 && is_line_aligned(dst, tile.inner.dst) &&
                           tile.outer.dst % kLine == 0;
  if (whole_lines && tile.bytes == 64) {
    copy_line_rows<1, Store::kStream>(tile, dst, src);
  } else if (whole_lines && tile.bytes == 128) {
    copy_line_rows<2, Store::kStream>(tile, dst, src);
  } else if (whole_lines) {
    stream_whole_lines(tile, dst, src);
  } else if (!stream_dense(tile, dst, src) && !stream_spread(tile, dst, src) &&
             !stream_packed(tile, dst, src)) {
    find_rows(tile)(tile, dst, src);
  }
}

CopyKernel find_kernel(const CopyTile& tile) {
  return tile.stream ? stream_rows : find_rows(tile);
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
