// Rows become columns, where a line of one side is made of two loops: of four channels and the
// pixels behind each other, as images have them.
#include "tensorlane/base/simd_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensorlane/layout/strided_copy_split.cc"  // NOLINT
#include <hwy/foreach_target.h>                                       // must come before highway.h
//
#include "tensorlane/layout/strided_copy_tile_internal.h"

HWY_BEFORE_NAMESPACE();
namespace tensorlane::copy_internal {
namespace HWY_NAMESPACE {
namespace {

// The places that two loops walk on one side, of which the first is the inner one.
class Places {
 public:
  Places(std::int64_t n, std::int64_t step, std::int64_t next_step)
      : n_(n), step_(step), turn_(next_step - n * step) {}

  void begin_at(std::int64_t index) {
    left_ = n_ - index % n_;
    at_ = index / n_ * (turn_ + n_ * step_) + index % n_ * step_;
  }
  HWY_INLINE std::int64_t next() {
    const std::int64_t now = at_;
    at_ += step_;
    if (--left_ == 0) {
      at_ += turn_;
      left_ = n_;
    }
    return now;
  }

 private:
  std::int64_t n_, step_, turn_;
  std::int64_t left_ = 1, at_ = 0;
};

template <class T>
class SplitTransposer {
 public:
  SplitTransposer(const CopyTile& tile, std::byte* dst, const std::byte* src)
      : tile_(tile),
        dst_(dst),
        src_(src),
        rows_(tile.inner.n * tile.inner_next.n),
        cols_(tile.outer.n * tile.outer_next.n),
        from_(tile.inner.n, tile.inner.src, tile.inner_next.src),
        to_(tile.outer.n, tile.outer.dst, tile.outer_next.dst) {
    const auto aligned = [](const CopyLoop& loop) { return loop.n == 1 || loop.dst % kLine == 0; };
    stream_ =
        tile.stream && misalignment(dst) == 0 && aligned(tile.outer) && aligned(tile.outer_next);
    constexpr bool kVectors = HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE;
    whole_blocks_ = kVectors && tile.inner.n == kBlock && tile.outer_next.n == 1;
  }

  void run() {
    for (std::int64_t begin = 0; begin < rows_; begin += kStretch) {
      const std::int64_t end = std::min(rows_, begin + kStretch);
      for (std::int64_t b = 0; b < cols_; b += kSide) {
        const std::int64_t cols = std::min(kSide, cols_ - b);
        for (std::int64_t a = begin; a < end; a += kSide)
          tile(a, b, std::min(kSide, end - a), cols);
      }
    }
  }

 private:
  static constexpr std::int64_t kSize = sizeof(T), kSide = kLine / kSize, kBlock = 16 / kSize;
  static constexpr std::int64_t kStretch = 64 * kSide, kAhead = 128;  // rows, bytes

  void tile(std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t cols) {
    if (whole_blocks_ && rows == kSide) {
      const std::int64_t blocks = cols / kBlock * kBlock;
      in_place(a, b, blocks);
      if (blocks < cols && b + cols >= kBlock) {
        last_columns(a, b + cols - kBlock, cols - blocks);
        return;
      }
      b += blocks;
      cols -= blocks;
      if (cols == 0) return;
    }
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
    if (tile_.inner_next.n == 1 && rows < kSide && rows >= kBlock && cols >= kBlock)
      return blocks(a, b, rows, cols);
#endif
    from_.begin_at(a);
    if (cols == 1 && rows == kSide) return one_column(a, b);
    const bool ask = tile_.far && cols == kSide;
    for (std::int64_t row = 0; row < rows; ++row) {
      const std::byte* const from = src_ + from_.next() + b * kSize;
      if (ask) hwy::Prefetch(from + kAhead);
      move_part(in_ + row * kLine, from, cols * kSize);
    }
    transpose_tile<T>(out_, kLine, in_, kLine, rows, cols);
    to_.begin_at(b);
    for (std::int64_t col = 0; col < cols; ++col) {
      std::byte* const to = dst_ + to_.next() + a * kSize;
      if (ask && !stream_) prefetch_written(to + kWrittenAhead);
      move_out(to, out_ + col * kLine, rows * kSize);
    }
  }

#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
  // Blocks of 16 bytes between rows a step apart and columns anywhere; the last ones reach back
  // over what is done.
  void blocks(std::int64_t a, std::int64_t b, std::int64_t rows, std::int64_t cols) {
    std::byte* columns[kSide];
    to_.begin_at(b);
    for (std::int64_t col = 0; col < cols; ++col) {
      columns[col] = dst_ + to_.next() + a * kSize;
      if (tile_.far) prefetch_written(columns[col] + kWrittenAhead);
    }
    const std::byte* const from = src_ + a * tile_.inner.src + b * kSize;
    for (std::int64_t row = 0; tile_.far && row < rows; ++row)
      hwy::Prefetch(from + row * tile_.inner.src + kAhead);
    for (std::int64_t c = 0; c < cols; c += kBlock) {
      const std::int64_t col = std::min(c, cols - kBlock);
      const std::byte* const block = from + col * kSize;
      std::int64_t r = 0;
      if constexpr (kBlocksPerVector > 1) {
        for (; r + 2 * kBlock <= rows; r += 2 * kBlock)
          transpose_blocks_to<T, 2>(columns + col, r * kSize, block + r * tile_.inner.src,
                                    tile_.inner.src);
      }
      for (; r < rows; r += kBlock) {
        const std::int64_t row = std::min(r, rows - kBlock);
        transpose_blocks_to<T, 1>(columns + col, row * kSize, block + row * tile_.inner.src,
                                  tile_.inner.src);
      }
    }
  }
#endif

  HWY_INLINE void one_column(std::int64_t a, std::int64_t b) {
    for (std::int64_t row = 0; row < kSide; ++row)
      std::memcpy(out_ + row * kSize, src_ + from_.next() + b * kSize, kSize);
    to_.begin_at(b);
    move_out(dst_ + to_.next() + a * kSize, out_, kLine);
  }

  HWY_INLINE void move_out(std::byte* to, const std::byte* from, std::int64_t bytes) const {
    if (stream_ && bytes == kLine) {
      move_lines<1, 1, Store::kStream>(to, 0, from, 0);
    } else {
      move_part(to, from, bytes);
    }
  }

  // Rows whose first loop fills a block of a vector go through registers alone.
  HWY_INLINE void in_place(std::int64_t a, std::int64_t b, std::int64_t cols) const {
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
    const std::int64_t step = tile_.inner_next.src, stride = tile_.inner.src;
    const std::byte* const from = src_ + a / kBlock * step + b * kSize;
    std::byte* const to = dst_ + b * tile_.outer.dst + a * kSize;
    for (std::int64_t c = 0; c < cols; c += kBlock) {
      std::byte* const line = to + c * tile_.outer.dst;
      const std::byte* const rows = from + c * kSize;
      if (stream_ && kBlocksPerVector > 1) {
        if constexpr (kBlocksPerVector == 4) {
          transpose_rows<T, 4, true>(line, tile_.outer.dst, rows, stride, step);
        } else if constexpr (kBlocksPerVector == 2) {
          stream_lines<T>(line, tile_.outer.dst, rows, stride, step);
        }
        continue;
      }
      for (int i = 0; i < 4; i += kBlocksPerVector) {
        transpose_rows<T, kBlocksPerVector, false>(line + std::ptrdiff_t{16} * i, tile_.outer.dst,
                                                   rows + i * step, stride, step);
      }
    }
#else
    static_cast<void>(a), static_cast<void>(b), static_cast<void>(cols);
#endif
  }

  // The last `count` columns of a block that reaches back over what is done.
  HWY_INLINE void last_columns(std::int64_t a, std::int64_t b, std::int64_t count) const {
#if HWY_TARGET != HWY_SCALAR && !HWY_HAVE_SCALABLE
    const std::int64_t step = tile_.inner_next.src, stride = tile_.inner.src;
    const std::byte* const from = src_ + a / kBlock * step + b * kSize;
    const hn::CappedTag<LaneOf<T>, 16 * kBlocksPerVector / sizeof(LaneOf<T>)> d;
    alignas(kLine) std::byte lines[kBlock * kLine];
    for (int i = 0; i < 4; i += kBlocksPerVector) {
      hn::Vec<decltype(d)> columns[kBlock];
      load_columns<T, kBlocksPerVector>(columns, from + i * step, stride, step,
                                        std::make_index_sequence<kBlock>());
      store_columns<false>(d, columns, lines + std::ptrdiff_t{16} * i, kLine,
                           std::make_index_sequence<kBlock>());
    }
    for (std::int64_t col = kBlock - count; col < kBlock; ++col)
      move_out(dst_ + (b + col) * tile_.outer.dst + a * kSize, lines + col * kLine, kLine);
#else
    static_cast<void>(a), static_cast<void>(b), static_cast<void>(count);
#endif
  }

  const CopyTile& tile_;
  std::byte* dst_;
  const std::byte* src_;
  const std::int64_t rows_, cols_;
  Places from_, to_;  // rows in the source, columns in the destination
  bool stream_, whole_blocks_;
  alignas(64) std::byte in_[static_cast<std::size_t>(kSide * 64)] = {};
  alignas(64) std::byte out_[static_cast<std::size_t>(kSide * 64)] = {};
};

template <class T>
void split_transpose(const CopyTile& tile, std::byte* dst, const std::byte* src) {
  SplitTransposer<T>(tile, dst, src).run();
}

CopyKernel find_kernel(const CopyTile& tile) {
  return find_typed(tile.bytes, split_transpose<std::uint8_t>, split_transpose<std::uint16_t>,
                    split_transpose<std::uint32_t>, split_transpose<std::uint64_t>);
}

}  // namespace

CopyKernel find_split_transpose_kernel(const CopyTile& tile) {
  return find_kernel(tile);
}

}  // namespace HWY_NAMESPACE
}  // namespace tensorlane::copy_internal
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tensorlane::copy_internal {

HWY_EXPORT(find_split_transpose_kernel);

CopyKernel find_split_transpose_kernel(const CopyTile& tile) {
  return HWY_DYNAMIC_DISPATCH(find_split_transpose_kernel)(tile);
}

}  // namespace tensorlane::copy_internal
#endif  // HWY_ONCE
