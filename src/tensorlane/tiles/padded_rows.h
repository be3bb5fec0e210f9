// Rows of elements as local memory has them, laid out as rows of words with padding between them,
// and rows of words stored, in vectors: the ends of rows take no loop of their own.
#ifndef TENSORLANE_TILES_PADDED_ROWS_H_
#define TENSORLANE_TILES_PADDED_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// Elements side by side in each row.
struct ElementRows {
  const std::byte* from = nullptr;
  std::int64_t row_bytes = 0;  // from one row to the next
  Dtype type = Dtype::kFp32;
  int rows = 0;
  int columns = 0;
};

// Where words go: row r begins `before + r * pitch` words on. All else is padding, up to `behind`
// words after the end of the last row.
struct Padding {
  int pitch = 0;
  std::int64_t before = 0;
  std::int64_t behind = 0;
};
// So many words after that may be written as well.
inline constexpr int kPaddedRowsSlack = 64;

// Floats become fp32, integers of 8 and 16 bits are extended, 32 bits stay as they are. Word: float
// or std::int32_t.
template <class Word>
void lay_out_rows(const ElementRows& rows, const Padding& around, Word padding, Word* to);
// Elements of 16 and of 8 bits as they are.
void lay_out_rows(const ElementRows& rows, const Padding& around, std::uint16_t padding,
                  std::uint16_t* to);
void lay_out_rows(const ElementRows& rows, const Padding& around, std::uint8_t padding,
                  std::uint8_t* to);

// Rows of words or of halves of words, `pitch` apart, to rows `row_bytes` apart.
template <class Word>
struct WordRows {
  const Word* from = nullptr;
  int pitch = 0;
  int rows = 0;
  int columns = 0;
  std::byte* to = nullptr;
  std::int64_t row_bytes = 0;
};
void store_rows(const WordRows<float>& rows);
void store_rows(const WordRows<std::uint16_t>& rows);

}  // namespace tensorlane

#endif  // TENSORLANE_TILES_PADDED_ROWS_H_
