// Rows of elements that indices or masks move.
//
// Elements and indices are dense, 1, 2 or 4 bytes wide, and need no alignment. An index must exist:
// nothing here looks whether it does, but for `largest`. Sources and destinations must not overlap.
#ifndef TENSORLANE_COMPUTE_MOVES_INDEXED_ROWS_H_
#define TENSORLANE_COMPUTE_MOVES_INDEXED_ROWS_H_

#include <cstddef>
#include <cstdint>

namespace tensorlane::indexed {

// Unsigned numbers one after the other: indices, or masks that ask whether they are 0.
struct Numbers {
  const std::byte* data;
  std::int64_t bytes;  // of one
  std::int64_t count;
};
// The largest of them, 0 of none; of sums with `added`, which wrap around in their width.
std::uint32_t largest(const Numbers& numbers, std::uint32_t added = 0);

// to[i] = from[index[i]], and to[index[i]] = from[i] in order, so that the last one stays.
using MoveRow = void (*)(std::byte* to, const std::byte* from, const Numbers& index);
MoveRow find_gather(std::int64_t element_bytes, std::int64_t index_bytes);
MoveRow find_scatter(std::int64_t element_bytes, std::int64_t index_bytes);

// A gather in which an index of all ones stands for none: there to[i] is the i-th of `others`, each
// `step` bytes behind the one before. They may be those of `to`.
struct Others {
  const std::byte* first;
  std::int64_t step;
};
void gather_or(std::int64_t element_bytes, std::byte* to, const std::byte* from,
               const Numbers& index, const Others& others);

// Gathers and scatters of lines of `bytes` bytes that begin a step apart.
struct Lines {
  std::byte* to;
  std::int64_t to_step;
  const std::byte* from;
  std::int64_t from_step;
  std::int64_t bytes;
};
void gather_lines(const Lines& lines, const Numbers& index);
void scatter_lines(const Lines& lines, const Numbers& index);

// The elements whose mask is not 0, one after the other; how many there were.
std::int64_t select(std::byte* to, const std::byte* from, std::int64_t element_bytes,
                    const Numbers& mask);
// first + i for every i whose mask is not 0, as words.
std::int64_t select_positions(std::byte* to, std::uint32_t first, const Numbers& mask);

}  // namespace tensorlane::indexed

#endif  // TENSORLANE_COMPUTE_MOVES_INDEXED_ROWS_H_
