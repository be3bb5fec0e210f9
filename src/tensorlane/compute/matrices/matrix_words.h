// Matrices of any type as dense words (dense_words.h), for the fast matrix products.
#ifndef TENSORLANE_COMPUTE_MATRICES_MATRIX_WORDS_H_
#define TENSORLANE_COMPUTE_MATRICES_MATRIX_WORDS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "tensorlane/compute/bands/product_frame.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/products/dense_words.h"

namespace tensorlane {

// Calls visit(first, count, address of the first) for the contiguous parts of `count` elements of
// row `row` as stored, from column `first` on.
template <class Visit>
void for_each_part(const AnyTypeMatrix& matrix, int row, int first, int count, const Visit& visit) {
  const int per_channel = matrix.cols_per_channel;
  if (per_channel == 0) {
    visit(first, count, matrix.stored_address(row, first));
    return;
  }
  // A part may be one element: no divisions on the way from one to the next.
  const LocalView& view = matrix.view;
  const int end = first + count;
  const int channel = first / per_channel;
  int inside = first - channel * per_channel;
  const int slot = (view.start_npu + channel) / view.npus;
  int npu = view.start_npu + channel - slot * view.npus;
  std::byte* at = view.memory + npu * view.npu_bytes + view.offset +
                  (row * view.n + slot * view.c) * view.element_bytes;
  while (first < end) {
    const int part = std::min(end - first, per_channel - inside);
    visit(first, part, at + inside * view.w * view.element_bytes);
    first += part;
    inside = 0;
    at += view.npu_bytes;
    if (++npu == view.npus) {
      npu = 0;
      at += view.c * view.element_bytes - view.npus * view.npu_bytes;
    }
  }
}

// The same of rows [row, row + rows): calls visit(row, first, count, address), NPU by NPU, where
// parts of rows lie one behind the other.
template <class Visit>
void for_each_part_of_rows(const AnyTypeMatrix& matrix, int row, int rows, int first, int count,
                           const Visit& visit) {
  if (matrix.cols_per_channel == 0) {
    for (int r = row; r < row + rows; ++r) visit(r, first, count, matrix.stored_address(r, first));
    return;
  }
  const std::int64_t next = matrix.view.n * matrix.view.element_bytes;
  for_each_part(matrix, row, first, count, [&](int column, int part, std::byte* at) {
    for (int r = row; r < row + rows; ++r, at += next) visit(r, column, part, at);
  });
}

// Some words to other memory: short parts of rows without a call.
inline void copy_words(const void* from, std::int64_t count, void* to) {
  constexpr std::int64_t kBytes = 4, kMove = 16, kShort = 64;
  if (count > kShort) {
    std::memcpy(to, from, static_cast<std::size_t>(count * kBytes));
    return;
  }
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  const std::int64_t bytes = count * kBytes, last = bytes - kMove;
  if (last < 0) {
    for (std::int64_t i = 0; i < bytes; i += kBytes) std::memcpy(target + i, source + i, kBytes);
    return;
  }
  for (std::int64_t i = 0; i < last; i += kMove) std::memcpy(target + i, source + i, kMove);
  std::memcpy(target + last, source + last, kMove);  // goes over some again
}

// Calls visit(row, address of its first element) for rows [first, first + count) as stored of a
// matrix whose row r is channel r: NPU by NPU, where they lie one behind the other.
template <class Visit>
void for_each_channel_row(const AnyTypeMatrix& matrix, int first, int count, const Visit& visit) {
  const LocalView& view = matrix.view;
  for (int i = 0; i < std::min(view.npus, count); ++i) {
    std::byte* at = matrix.stored_address(first + i, 0);
    for (int row = first + i; row < first + count; row += view.npus) {
      visit(row, at);
      at += view.c * view.element_bytes;
    }
  }
}

// The same elements one behind the other: where they are, or copied to `buffer`. Their columns are
// 1 apart.
inline const std::byte* gathered(const AnyTypeMatrix& matrix, int row, int first, int count,
                                 std::byte* buffer) {
  const int per_channel = matrix.cols_per_channel;
  if (per_channel == 0 || first % per_channel + count <= per_channel)
    return matrix.stored_address(row, first);
  const int bytes = dtype_bytes(matrix.type);
  for_each_part(matrix, row, first, count, [&](int column, int part, const std::byte* from) {
    std::memcpy(buffer + std::ptrdiff_t{column - first} * bytes, from,
                static_cast<std::size_t>(part) * static_cast<std::size_t>(bytes));
  });
  return buffer;
}

// Asks for the elements before they are needed: rows lie in other NPUs, which no processor guesses.
inline void fetch_ahead(const AnyTypeMatrix& matrix, int row, int first, int count) {
  constexpr int kLineBytes = 64;
  const int bytes = dtype_bytes(matrix.type);
  for_each_part(matrix, row, first, count, [&](int, int columns, const std::byte* at) {
    for (int i = 0; i < columns * bytes; i += kLineBytes) __builtin_prefetch(at + i);
  });
}

// rows x cols words of a matrix. Word: float or std::int32_t.
template <class Word>
Words<Word> read_matrix(const AnyTypeMatrix& matrix, int rows, int cols);

// rows x cols words as cols x rows; a row of `from` and of `to` is as many words from the next.
void transpose_words(const void* from, std::int64_t from_pitch, int rows, int cols, void* to,
                     std::int64_t to_pitch);
template <class Word>
Words<Word> transposed(const Words<Word>& from, int rows, int cols);

// The `count` integers of a vector: row 0 of a matrix.
std::vector<std::int32_t> read_vector(const AnyTypeMatrix& vector, int count);
// The same in memory that is kept, which long vectors should have: pages of new memory are cleared.
Words<std::int32_t> read_words(const AnyTypeMatrix& vector, int count);

// The same product with rows and columns exchanged, for a result that is stored transposed.
AnyTypeMatmulArgs exchanged(const AnyTypeMatmulArgs& args);

// The frame of a product whose right operand is `channels` rows of words.
ProductFrame matrix_frame(const AnyTypeMatmulArgs& args, const LocalView& right, int channels);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MATRICES_MATRIX_WORDS_H_
