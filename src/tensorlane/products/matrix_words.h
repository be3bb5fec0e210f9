// Matrices of any type as dense words (dense_words.h), for the fast matrix products.
#ifndef TENSORLANE_PRODUCTS_MATRIX_WORDS_H_
#define TENSORLANE_PRODUCTS_MATRIX_WORDS_H_

#include <algorithm>

#include "tensorlane/products/any_type_matmul.h"
#include "tensorlane/products/dense_words.h"
#include "tensorlane/tiles/product_frame.h"

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
  const int end = first + count;
  while (first < end) {
    const int inside = first % per_channel;
    const int part = std::min(end - first, per_channel - inside);
    visit(first, part, matrix.stored_address(row, first));
    first += part;
  }
}

// rows x cols words of a matrix. Word: float or std::int32_t.
template <class Word>
Words<Word> read_matrix(const AnyTypeMatrix& matrix, int rows, int cols);

// rows x cols words as cols x rows.
template <class Word>
Words<Word> transposed(const Words<Word>& from, int rows, int cols);

// The same product with rows and columns exchanged, for a result that is stored transposed.
AnyTypeMatmulArgs exchanged(const AnyTypeMatmulArgs& args);

// The frame of a product whose right operand is `channels` rows of words.
ProductFrame matrix_frame(const AnyTypeMatmulArgs& args, const LocalView& right, int channels);

}  // namespace tensorlane

#endif  // TENSORLANE_PRODUCTS_MATRIX_WORDS_H_
