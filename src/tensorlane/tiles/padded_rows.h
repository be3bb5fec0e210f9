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

// So many words behind the last row may be written as well.
inline constexpr int kPaddedRowsSlack = 64;

// Row r becomes words to[r * pitch ..]: floats as fp32, integers of 8 and 16 bits extended, 32 bits
// as they are. What lies between a row's end and the next row becomes `padding`. Word: float or
// std::int32_t.
template <class Word>
void lay_out_rows(const ElementRows& rows, int pitch, Word padding, Word* to);
// Elements of 16 and of 8 bits as they are.
void lay_out_rows(const ElementRows& rows, int pitch, std::uint16_t padding, std::uint16_t* to);
void lay_out_rows(const ElementRows& rows, int pitch, std::uint8_t padding, std::uint8_t* to);

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
