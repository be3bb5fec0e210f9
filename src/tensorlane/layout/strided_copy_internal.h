// Between strided_copy.cc, which normalises and chooses, and the kernels, which move.
#ifndef TENSORLANE_LAYOUT_STRIDED_COPY_INTERNAL_H_
#define TENSORLANE_LAYOUT_STRIDED_COPY_INTERNAL_H_

#include <cstddef>
#include <cstdint>

namespace tensorlane::copy_internal {

// One loop: iterations, bytes between them in the destination and in the source.
struct CopyLoop {
  std::int64_t n = 1;
  std::int64_t dst = 0;
  std::int64_t src = 0;
};

// What one call of a kernel does: two nested loops over pieces of `bytes` contiguous bytes.
struct CopyTile {
  std::int64_t bytes = 0;
  CopyLoop inner, outer;
  // Of a split transpose: where `inner` ends in the destination this loop goes on, and where
  // `outer` ends in the source that one. Of a fill `outer_next` is a loop outside.
  CopyLoop inner_next, outer_next;
  // The whole copy is larger than the caches that are worth filling: write past them if possible.
  bool stream = false;
  // The whole copy is so small that the second-level cache answers at once: nothing is asked for
  // ahead.
  bool near = false;
  // A second-level cache holds both sides of the whole copy.
  bool cached = false;
  // The whole copy is larger than the second-level cache: the source may be asked for ahead.
  bool far = false;
  // Transposes of words may go in squares of 16 by 16, where vectors have 512 bits.
  bool squares = true;
};

enum class CopyMethod : std::uint8_t {
  kRun,
  kRows,
  kFill,
  kInterleave,      // inner.n rows (2, 3 or 4); outer steps by one element in the source
  kDeinterleave,    // the same with destination and source exchanged
  kTranspose,       // inner is contiguous in the destination, outer in the source
  kSplitTranspose,  // the same with lines of two loops
  kElements,
};

using CopyKernel = void (*)(const CopyTile& tile, std::byte* dst, const std::byte* src);

// The kernel of each method for the CPU and the tile: its width (1, 2, 4 or 8 bytes for the methods
// after kRows), and whether it is written past the caches.
CopyKernel find_rows_kernel(const CopyTile& tile);
CopyKernel find_fill_kernel(const CopyTile& tile);
CopyKernel find_interleave_kernel(const CopyTile& tile);
CopyKernel find_deinterleave_kernel(const CopyTile& tile);
CopyKernel find_transpose_kernel(const CopyTile& tile);
CopyKernel find_split_transpose_kernel(const CopyTile& tile);
CopyKernel find_elements_kernel(const CopyTile& tile);

// The one of four kernels that moves elements of `bytes`.
constexpr CopyKernel find_typed(std::int64_t bytes, CopyKernel one, CopyKernel two, CopyKernel four,
                                CopyKernel eight) {
  return bytes == 1 ? one : bytes == 2 ? two : bytes == 4 ? four : eight;
}

}  // namespace tensorlane::copy_internal

#endif  // TENSORLANE_LAYOUT_STRIDED_COPY_INTERNAL_H_
