// Rows of elements as local memory has them, laid out as rows of words with padding between them,
// and rows of words stored, in vectors: the ends of rows take no loop of their own.
#ifndef TENSORLANE_COMPUTE_BANDS_PADDED_ROWS_H_
#define TENSORLANE_COMPUTE_BANDS_PADDED_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// Elements side by side in each row.
struct ElementRows {
  std::int64_t first = 0;      // bytes from where a tensor begins to its first row
  std::int64_t row_bytes = 0;  // and from one row to the next
  Dtype type = Dtype::kFp32;
  int rows = 0;
  int columns = 0;
};

// Where words go: row r begins `before + r * pitch` words on. All else is padding, up to `behind`
// words after the end of the last row, or after `before` where there is no row.
struct Padding {
  int pitch = 0;
  std::int64_t before = 0;
  std::int64_t behind = 0;
};
// So many words after that may be written as well.
inline constexpr int kPaddedRowsSlack = 64;

// Such rows of several tensors, one laid out after the other.
template <class Word>
struct RowLayouts {
  ElementRows rows;
  Padding around;
  std::span<const std::byte* const> from;  // where each tensor begins
  const Word* padding = nullptr;           // of each tensor
  Word* to = nullptr;
  std::int64_t step = 0;  // words from one tensor to the next
};
// Floats become fp32, integers of 8 and 16 bits are extended, 32 bits stay as they are. Word: float
// or std::int32_t; or std::uint16_t and std::uint8_t, for elements of 16 and of 8 bits as they are.
template <class Word>
void lay_out_rows(const RowLayouts<Word>& layouts);

// Rows of words of several tensors and where they go. Word: float, or std::uint16_t and
// std::uint8_t for halves and bytes.
template <class Word>
struct WordRows {
  const Word* from = nullptr;
  std::int64_t step = 0;   // words from one tensor to the next
  std::int64_t pitch = 0;  // and from one row to the next
  int rows = 0;
  int columns = 0;
  std::span<std::byte* const> to;  // the first row of each tensor
  std::int64_t row_bytes = 0;      // from one row to the next

  // visit(row, where it goes)
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t k = 0; k < to.size(); ++k) {
      const Word* row = from + static_cast<std::int64_t>(k) * step;
      std::byte* out = to[k];
      for (int r = 0; r < rows; ++r, row += pitch, out += row_bytes) visit(row, out);
    }
  }
};
template <class Word>
void store_rows(const WordRows<Word>& rows);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_BANDS_PADDED_ROWS_H_
