// The inner kernels of the strided copy, compiled once per CPU target.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/layout/strided_copy_kernels.cc"  // NOLINT
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>  // must come before highway.h
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tensorlane/layout/strided_copy_internal.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// An element of `T` anywhere in memory.
template <class T>
struct Unaligned {
  typedef T type __attribute__((aligned(1), may_alias));
};

template <class T>
T* at(std::byte* address) {
  return reinterpret_cast<T*>(address);
}
template <class T>
const T* at(const std::byte* address) {
  return reinterpret_cast<const T*>(address);
}

// ---- run and rows ------------------------------------------------------------------------------

void copy_run(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  std::memcpy(dst, src, static_cast<std::size_t>(tile.bytes));
}

// How one row is moved. kFixed: exactly kBytes. kTwice: kBytes < bytes <= 2 * kBytes, as two moves
// that overlap in the middle of the row.
template <std::size_t kBytes>
struct FixedMove {
  static void move(std::byte* dst, const std::byte* src, std::size_t) {
    std::memcpy(dst, src, kBytes);
  }
};
template <std::size_t kBytes>
struct DoubleMove {
  static void move(std::byte* dst, const std::byte* src, std::size_t bytes) {
    std::memcpy(dst, src, kBytes);
    std::memcpy(dst + bytes - kBytes, src + bytes - kBytes, kBytes);
  }
};
// More than 64 bytes: 64 at a time, the last move reaching back into the row.
struct LongMove {
  static void move(std::byte* dst, const std::byte* src, std::size_t bytes) {
    std::size_t i = 0;
    for (; i + 64 <= bytes; i += 64) std::memcpy(dst + i, src + i, 64);
    std::memcpy(dst + bytes - 64, src + bytes - 64, 64);
  }
};
struct LibraryMove {
  static void move(std::byte* dst, const std::byte* src, std::size_t bytes) {
    std::memcpy(dst, src, bytes);
  }
};

// Rows whose source neighbours lie in the outer loop are read in blocks, so that a cache line is
// used up before it is lost.
constexpr std::int64_t kBlockRows = 64;

std::int64_t block_rows(const CopyTile& tile) {
  const bool crossed = tile.outer.n > 1 && tile.inner.n > kBlockRows &&
                       std::abs(tile.outer.src) < std::abs(tile.inner.src);
  return crossed ? kBlockRows : tile.inner.n;
}

template <class Move>
void copy_rows(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const CopyLoop inner = tile.inner, outer = tile.outer;
  const std::size_t bytes = static_cast<std::size_t>(tile.bytes);
  const std::int64_t block = block_rows(tile);
  for (std::int64_t begin = 0; begin < inner.n; begin += block) {
    const std::int64_t rows = std::min(block, inner.n - begin);
    for (std::int64_t o = 0; o < outer.n; ++o) {
      std::byte* to = dst + o * outer.dst + begin * inner.dst;
      const std::byte* from = src + o * outer.src + begin * inner.src;
      for (std::int64_t i = 0; i < rows; ++i, to += inner.dst, from += inner.src) {
        Move::move(to, from, bytes);
      }
    }
  }
}

// True when every row starts at a cache line.
bool is_line_aligned(const std::byte* first, std::int64_t stride) {
  return reinterpret_cast<std::uintptr_t>(first) % 64 == 0 && stride % 64 == 0;
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
      return copy_rows<FixedMove<64>>;
    case 128:
      return copy_rows<FixedMove<128>>;
    case 256:
      return copy_rows<FixedMove<256>>;
    default:
      break;
  }
  if (bytes <= 4) return copy_rows<DoubleMove<2>>;
  if (bytes <= 8) return copy_rows<DoubleMove<4>>;
  if (bytes <= 16) return copy_rows<DoubleMove<8>>;
  if (bytes <= 32) return copy_rows<DoubleMove<16>>;
  if (bytes <= 64) return copy_rows<DoubleMove<32>>;
  if (bytes <= 1024) return copy_rows<LongMove>;
  return copy_rows<LibraryMove>;
}

// Rows of whole cache lines, past the caches where the copy is large.
void copy_lines(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const CopyLoop inner = tile.inner, outer = tile.outer;
  if (!tile.stream || !is_line_aligned(dst, inner.dst) || outer.dst % 64 != 0) {
    find_rows(tile.bytes)(tile, dst, src);
    return;
  }
  const hn::ScalableTag<std::uint8_t> d;
  const std::int64_t step = static_cast<std::int64_t>(hn::Lanes(d));
  for (std::int64_t o = 0; o < outer.n; ++o) {
    for (std::int64_t i = 0; i < inner.n; ++i) {
      std::byte* to = dst + o * outer.dst + i * inner.dst;
      const std::byte* from = src + o * outer.src + i * inner.src;
      for (std::int64_t k = 0; k < tile.bytes; k += step) {
        hn::Stream(hn::LoadU(d, at<std::uint8_t>(from + k)), d, at<std::uint8_t>(to + k));
      }
    }
  }
  hwy::FlushStream();
}

// ---- fill --------------------------------------------------------------------------------------

template <class T>
void fill(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  for (std::int64_t o = 0; o < tile.outer.n; ++o) {
    T value;
    std::memcpy(&value, src + o * tile.outer.src, sizeof(T));
    typename Unaligned<T>::type* to = at<typename Unaligned<T>::type>(dst + o * tile.outer.dst);
    for (std::int64_t i = 0; i < tile.inner.n; ++i) to[i] = value;
  }
}

// ---- elements ----------------------------------------------------------------------------------

// One row of elements; strides known when compiling become shuffles.
template <class T, std::int64_t kDst, std::int64_t kSrc>
void copy_fixed_elements(std::int64_t n, std::byte* dst, const std::byte* src) {
  using U = typename Unaligned<T>::type;
  U* __restrict to = at<U>(dst);
  const U* __restrict from = at<U>(src);
  for (std::int64_t i = 0; i < n; ++i) to[i * kDst] = from[i * kSrc];
}

template <class T>
void copy_element_row(std::int64_t n, std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                      std::int64_t src_stride) {
  using U = typename Unaligned<T>::type;
  for (std::int64_t i = 0; i < n; ++i) {
    *at<U>(dst) = *at<U>(src);
    dst += dst_stride;
    src += src_stride;
  }
}

template <class T>
void copy_elements(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const CopyLoop inner = tile.inner, outer = tile.outer;
  constexpr std::int64_t kSize = sizeof(T);
  void (*fixed)(std::int64_t, std::byte*, const std::byte*) = nullptr;
  if (inner.dst == kSize && inner.src == 2 * kSize) {
    fixed = copy_fixed_elements<T, 1, 2>;
  } else if (inner.dst == kSize && inner.src == 4 * kSize) {
    fixed = copy_fixed_elements<T, 1, 4>;
  } else if (inner.dst == kSize && inner.src == -kSize) {
    fixed = copy_fixed_elements<T, 1, -1>;
  }
  const std::int64_t block = block_rows(tile);
  for (std::int64_t begin = 0; begin < inner.n; begin += block) {
    const std::int64_t n = std::min(block, inner.n - begin);
    for (std::int64_t o = 0; o < outer.n; ++o) {
      std::byte* to = dst + o * outer.dst + begin * inner.dst;
      const std::byte* from = src + o * outer.src + begin * inner.src;
      if (fixed != nullptr) {
        fixed(n, to, from);
      } else {
        copy_element_row<T>(n, to, inner.dst, from, inner.src);
      }
    }
  }
}

// ---- interleave and deinterleave ---------------------------------------------------------------

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
void interleave(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const std::int64_t rows = tile.inner.n, n = tile.outer.n, step = tile.inner.src;
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
  using U = typename Unaligned<T>::type;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t row = 0; row < rows; ++row) {
      at<U>(dst)[rows * i + row] = at<U>(src + row * step)[i];
    }
  }
}

template <class T>
void deinterleave(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  const std::int64_t rows = tile.inner.n, n = tile.outer.n, step = tile.inner.dst;
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
  using U = typename Unaligned<T>::type;
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t row = 0; row < rows; ++row) {
      at<U>(dst + row * step)[i] = at<U>(src)[rows * i + row];
    }
  }
}

// ---- transpose ---------------------------------------------------------------------------------

// A tile is one cache line (64 bytes) of elements in both directions.
template <class T>
constexpr std::int64_t kTileSide = 64 / static_cast<std::int64_t>(sizeof(T));

#if HWY_TARGET == HWY_SCALAR || HWY_HAVE_SCALABLE

constexpr int kBlocksPerVector = 1;

template <class T, int kBlocks = 1, bool kStream = false>
void transpose_tile(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                    std::int64_t src_stride, std::int64_t rows, std::int64_t cols) {
  using U = typename Unaligned<T>::type;
  for (std::int64_t c = 0; c < cols; ++c) {
    for (std::int64_t r = 0; r < rows; ++r) {
      at<U>(dst + c * dst_stride)[r] = at<U>(src + r * src_stride)[c];
    }
  }
}

#else

// Transposes a square of 16-byte rows held in kRows vectors, in each 16-byte block of the vectors:
// log2(kRows) rounds of a perfect shuffle.
template <int kRows, class D, class V = hn::Vec<D>>
HWY_INLINE void transpose_blocks(D d, V (&v)[kRows]) {
  for (int stage = 1; stage < kRows; stage *= 2) {
    V next[kRows];
    for (int i = 0; i < kRows / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, v[i], v[i + kRows / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + kRows / 2]);
    }
    for (int i = 0; i < kRows; ++i) v[i] = next[i];
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

// 16 bytes of rows 0, kBlock, 2 * kBlock ... (kBlocks of them), `stride` bytes between rows.
template <class T, int kBlocks>
HWY_INLINE auto load_blocks(const std::byte* from, std::int64_t stride) {
  constexpr int kBlock = 16 / sizeof(T);
  const hn::CappedTag<T, kBlock> d;
  const auto load = [&](int row) HWY_ATTR { return hn::LoadU(d, at<T>(from + row * stride)); };
  if constexpr (kBlocks == 1) {
    return load(0);
  } else {
    const hn::CappedTag<T, 2 * kBlock> d2;
    if constexpr (kBlocks == 2) {
      return hn::Combine(d2, load(kBlock), load(0));
    } else {
      const hn::CappedTag<T, 4 * kBlock> d4;
      return hn::Combine(d4, hn::Combine(d2, load(3 * kBlock), load(2 * kBlock)),
                         hn::Combine(d2, load(kBlock), load(0)));
    }
  }
}

// dst row c, element r = src row r, element c; `rows` and `cols` are rounded up to whole vectors
// and blocks. Every row of the destination is written front to back before the next.
template <class T, int kBlocks = kBlocksPerVector, bool kStream = false>
void transpose_tile(std::byte* dst, std::int64_t dst_stride, const std::byte* src,
                    std::int64_t src_stride, std::int64_t rows, std::int64_t cols) {
  constexpr int kBlock = 16 / sizeof(T);
  constexpr int kRows = kBlock * kBlocks;
  const hn::CappedTag<T, kRows> d;
  for (std::int64_t c = 0; c < cols; c += kBlock) {
    for (std::int64_t r = 0; r < rows; r += kRows) {
      const std::byte* from = src + r * src_stride + c * static_cast<std::int64_t>(sizeof(T));
      std::byte* to = dst + c * dst_stride + r * static_cast<std::int64_t>(sizeof(T));
      hn::Vec<decltype(d)> v[kBlock];
      for (int i = 0; i < kBlock; ++i)
        v[i] = load_blocks<T, kBlocks>(from + i * src_stride, src_stride);
      transpose_blocks<kBlock>(d, v);
      for (int i = 0; i < kBlock; ++i) {
        if constexpr (kStream) {
          hn::Stream(v[i], d, at<T>(to + i * dst_stride));
        } else {
          hn::StoreU(v[i], d, at<T>(to + i * dst_stride));
        }
      }
    }
  }
}

#endif

// Rows of at most 64 bytes between memory and a tile.
void move_rows(std::int64_t rows, std::int64_t bytes, std::byte* dst, std::int64_t dst_stride,
               const std::byte* src, std::int64_t src_stride) {
  CopyTile tile;
  tile.bytes = bytes;
  tile.inner = {rows, dst_stride, src_stride};
  if (bytes == 64) {
    copy_rows<FixedMove<64>>(tile, dst, src);
  } else {
    find_rows(bytes)(tile, dst, src);
  }
}

// Rows this far apart fall into so few sets of the first-level cache that a tile of them does not
// stay there: such a tile is first copied together.
bool rows_collide(std::int64_t stride, std::int64_t rows) {
  constexpr std::int64_t kPeriod = 4096, kWays = 8;
  std::int64_t sets = kPeriod / 64;
  for (std::int64_t step = 64; step < kPeriod && stride % (2 * step) == 0; step *= 2) sets /= 2;
  return rows > sets * kWays;
}

template <class T>
class Transposer {
 public:
  Transposer(const CopyTile& tile, std::byte* dst, const std::byte* src)
      : across_(tile.inner), along_(tile.outer), dst_(dst), src_(src) {
    collide_ = rows_collide(across_.src, std::min(kSide, across_.n));
    // Stores past the caches take whole aligned lines only.
    stream_ = tile.stream && is_line_aligned(dst, along_.dst);
  }

  void run() {
    // Stretches of the source rows, so that the rows of the destination stay in the address caches.
    constexpr std::int64_t kStretch = 16 * kSide;
    for (std::int64_t begin = 0; begin < along_.n; begin += kStretch) {
      const std::int64_t end = std::min(along_.n, begin + kStretch);
      for (std::int64_t a = 0; a < across_.n; a += kSide) {
        for (std::int64_t b = begin; b < end; b += kSide) {
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
      }
    }
    if (stream_) hwy::FlushStream();
  }

 private:
  static constexpr std::int64_t kSide = kTileSide<T>, kSize = sizeof(T), kBlock = 16 / kSize;

  std::byte* dst_at(std::int64_t a, std::int64_t b) const {
    return dst_ + b * along_.dst + a * kSize;
  }
  const std::byte* src_at(std::int64_t a, std::int64_t b) const {
    return src_ + a * across_.src + b * kSize;
  }

  // Every store is a line of the destination.
  void whole_lines(std::int64_t a, std::int64_t b, std::int64_t cols) {
    const std::byte* from = src_at(a, b);
    std::int64_t stride = across_.src;
    if (collide_) {
      move_rows(kSide, cols * kSize, in_, 64, from, stride);
      from = in_;
      stride = 64;
    }
    if (stream_) {
      transpose_tile<T, kBlocksPerVector, true>(dst_at(a, b), along_.dst, from, stride, kSide,
                                                cols);
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
  bool collide_, stream_;
  alignas(64) std::byte in_[static_cast<std::size_t>(kSide * 64)];
  alignas(64) std::byte out_[static_cast<std::size_t>(kSide * 64)];
};

template <class T>
void transpose(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  Transposer<T>(tile, dst, src).run();
}

// ---- choice ------------------------------------------------------------------------------------

template <class T>
CopyKernel find_typed(CopyMethod method) {
  switch (method) {
    case CopyMethod::kFill:
      return fill<T>;
    case CopyMethod::kInterleave:
      return interleave<T>;
    case CopyMethod::kDeinterleave:
      return deinterleave<T>;
    case CopyMethod::kTranspose:
      return transpose<T>;
    default:
      return copy_elements<T>;
  }
}

CopyKernel find_kernel(CopyMethod method, std::int64_t bytes) {
  if (method == CopyMethod::kRun) return copy_run;
  if (method == CopyMethod::kRows) {
    constexpr std::int64_t kLongest = 1024;  // beyond, the library's copy does as well
    return bytes % 64 == 0 && bytes <= kLongest ? copy_lines : find_rows(bytes);
  }
  switch (bytes) {
    case 1:
      return find_typed<std::uint8_t>(method);
    case 2:
      return find_typed<std::uint16_t>(method);
    case 4:
      return find_typed<std::uint32_t>(method);
    default:
      return find_typed<std::uint64_t>(method);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::copy_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::copy_internal {

HWY_EXPORT(find_kernel);

CopyKernel find_copy_kernel(CopyMethod method, std::int64_t bytes) {
  return HWY_DYNAMIC_DISPATCH(find_kernel)(method, bytes);
}

}  // namespace tensorlane::copy_internal
#endif  // HWY_ONCE
