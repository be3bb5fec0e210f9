// Parts of frames, and their elements side by side: what functions that compute on arrays begin and
// end with.
//
// Rows are short where a tensor is spread over NPUs (49 elements of 7x7), or hold two bytes of a
// packed word. A part takes many of them, through several NPUs, so that one call of the arithmetic
// serves them all.
#ifndef TENSORLANE_COMPUTE_ROWS_ROW_PARTS_H_
#define TENSORLANE_COMPUTE_ROWS_ROW_PARTS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "tensorlane/compute/rows/elementwise.h"

namespace tensorlane {

inline std::int64_t elements_of(const Row& part) {
  return part.blocks * part.rows * part.count;
}

// The frame whose first element is that of `frame` `b` blocks, `r` rows and `i` elements on.
inline Row moved(const Row& frame, std::int64_t b, std::int64_t r, std::int64_t i) {
  Row part = frame;
  part.dst += b * frame.dst_block + r * frame.dst_next + i * frame.dst_step;
  for (std::size_t k = 0; k < part.src.size(); ++k)
    part.src[k] += b * frame.src_block[k] + r * frame.src_next[k] + i * frame.src_step[k];
  return part;
}

// Calls f(part) for frames that make up this one, of `most` elements at most: some blocks, some
// rows of a block, or a piece of a row.
template <class F>
void each_part(const Row& frame, std::int64_t most, const F& f) {
  const std::int64_t piece = std::min(most, frame.count);
  if (piece == 0) return;
  const std::int64_t rows = std::min(frame.rows, most / piece);
  const bool whole_blocks = rows == frame.rows && piece == frame.count;
  const std::int64_t blocks = whole_blocks ? most / (rows * piece) : 1;
  for (std::int64_t b = 0; b < frame.blocks; b += blocks) {
    for (std::int64_t r = 0; r < frame.rows; r += rows) {
      for (std::int64_t i = 0; i < frame.count; i += piece) {
        Row part = moved(frame, b, r, i);
        part.blocks = std::min(blocks, frame.blocks - b);
        part.rows = std::min(rows, frame.rows - r);
        part.count = std::min(piece, frame.count - i);
        f(part);
      }
    }
  }
}

// Where elements lie: steps in bytes from one to the next, from row to row, from block to block.
struct Places {
  std::int64_t step, next, block;

  static Places of_result(const Row& part) {
    return {part.dst_step, part.dst_next, part.dst_block};
  }
  static Places of_source(const Row& part, std::size_t k) {
    return {part.src_step[k], part.src_next[k], part.src_block[k]};
  }
  // Side by side, row after row.
  static Places side_by_side_in(const Row& part, std::int64_t bytes) {
    return {bytes, part.count * bytes, part.rows * part.count * bytes};
  }
  bool all_the_same() const { return step == 0 && next == 0 && block == 0; }
  // Whether the elements of a part, `bytes` each, stand side by side.
  bool side_by_side(const Row& part, std::int64_t bytes) const {
    return (part.count == 1 || step == bytes) && (part.rows == 1 || next == part.count * bytes) &&
           (part.blocks == 1 || block == part.rows * part.count * bytes);
  }
};

// Bytes that gathering may write behind the last element.
inline constexpr std::int64_t kGatherSlack = 64;

// The elements of a part, of 1, 2 or 4 bytes, side by side in `to`, row after row; and back from
// there. A part has room for its own elements: nothing else is read or written of memory.
void gather_elements(const Row& part, const std::byte* from, const Places& places,
                     std::int64_t bytes, std::byte* to);
void scatter_elements(const Row& part, const std::byte* from, std::byte* to, const Places& places,
                      std::int64_t bytes);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_ROW_PARTS_H_
