// Matrices of bytes in the form that tiles of integer products take them (integer_tile.h): four
// neighbours along the reduction to a word, steps filled up to whole groups; or, where a processor
// multiplies pairs of 16 bits, two steps of such words for four neighbours: first the pairs of
// bytes 0 and 2, then those of bytes 1 and 3.
#ifndef TENSORLANE_COMPUTE_MATRICES_BYTE_PANELS_H_
#define TENSORLANE_COMPUTE_MATRICES_BYTE_PANELS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/tiles/integer_tile.h"

namespace tensorlane {

// Whether a matrix can be taken as it is stored: bytes side by side, or a constant.
bool are_plain_bytes(const AnyTypeMatrix& matrix);

// The words of four stored rows, from row `first` of `rows` on; rows behind the last count as
// zeros. The bits of `flip` are turned over in every word.
void zip_stored_rows(const AnyTypeMatrix& matrix, int first, int rows, int first_column, int cols,
                     std::uint32_t flip, std::int32_t* to);

class BytePanels {
 public:
  // For tiles of this shape and factors, and sums of `inner` products.
  BytePanels(IntegerFactors factors, const TileShape& shape, int inner);

  // Bytes that one byte of a matrix takes in a panel.
  int byte_size() const { return pairs_ ? 2 : 1; }

  // Steps of a tile, with those that fill up the last group; their weights are zero.
  int steps() const { return steps_; }
  // From one step to the next in a panel of `columns` columns of the right matrix.
  int pitch(int columns) const;

  // Words of a panel of `rows` rows of the left matrix: blocks of shape.rows, one behind the other.
  std::size_t left_words(int rows) const;
  // The block that begins with row `row` of a panel.
  template <class Word>
  Word* block(Word* panel, int row) const {
    return panel + std::ptrdiff_t{row} * steps_;
  }
  // Packs rows [first, first + count). order[i] becomes the row that lies in place i of the panel:
  // rows of one NPU follow each other. The bits of `flip` are turned over in every word, but not
  // in what fills it up; not for pairs.
  void pack_left(const AnyTypeMatrix& left, int first, int count, std::uint32_t flip,
                 std::int32_t* panel, int* order) const;

  std::size_t right_words(int columns) const;
  // Packs columns [first, first + count). The bits of `flip` are turned over in every word. Words
  // of a step are `to_next` from those of the one before: the pitch of the panel.
  void pack_right(const AnyTypeMatrix& right, int first, int count, std::uint32_t flip,
                  std::int32_t* panel, std::int64_t to_next) const;

 private:
  void pack_left_words(const AnyTypeMatrix& left, int first, int count, std::uint32_t flip,
                       std::int32_t* panel, int* order) const;
  void pack_stored_columns(const AnyTypeMatrix& left, int first, int count, std::uint32_t flip,
                           std::int32_t* panel) const;
  void pack_right_words(const AnyTypeMatrix& right, int first, int count, std::uint32_t flip,
                        std::int32_t* panel, std::int64_t to_next) const;
  void pack_columns(const AnyTypeMatrix& right, int first, int count, std::uint32_t flip,
                    std::int32_t* panel, std::int64_t to_next) const;

  const TileShape shape_;
  const int inner_;
  const bool pairs_;
  const int words_;       // of `inner` bytes
  const int word_steps_;  // of words of four
  const int steps_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MATRICES_BYTE_PANELS_H_
