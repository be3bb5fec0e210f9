// A tensor of any type as rows of words (dense_words.h), with elements inserted between its rows
// and columns.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_INSERTED_ROWS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_INSERTED_ROWS_H_

#include <algorithm>
#include <vector>

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/compute/bands/product_frame.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/products/dense_words.h"

namespace tensorlane {

struct InsertedRows {
  const LocalView& input;
  Dtype type;
  int input_h;
  int input_w;
  int insert_h;
  int insert_w;

  int h() const { return (input_h - 1) * (insert_h + 1) + 1; }
  int w() const { return (input_w - 1) * (insert_w + 1) + 1; }

  // Rows [begin, end) of channel (n, c), w() words each; `inserted` between the elements.
  template <class Word>
  void fill(int n, int c, int begin, int end, Word inserted, Word* to) const {
    if (insert_h == 0 && insert_w == 0 && has_even_channels(input, input_w)) {
      widen(input.address(n, c, begin, 0), input.w, type, (end - begin) * input_w, to);
      return;
    }
    for (int row = begin; row < end; ++row, to += w()) fill_row(n, c, row, inserted, to);
  }
  template <class Word>
  void fill(int n, int c, Word inserted, Word* to) const {
    fill(n, c, 0, h(), inserted, to);
  }
  // Of the rows of a part its columns, which need not be all.
  template <class Word>
  void fill(const InputPart& part, int c, Word inserted, Word* to) const {
    if (part.count == w()) return fill(part.image, c, part.begin, part.end, inserted, to);
    if (insert_h == 0 && insert_w == 0) {
      for (int r = part.begin; r < part.end; ++r, to += part.count)
        widen(input.address(part.image, c, r, part.first), input.w, type, part.count, to);
      return;
    }
    std::vector<Word> row(static_cast<std::size_t>(w()));
    for (int r = part.begin; r < part.end; ++r, to += part.count) {
      fill(part.image, c, r, r + 1, inserted, row.data());
      std::copy_n(row.data() + part.first, part.count, to);
    }
  }

 private:
  template <class Word>
  void fill_row(int n, int c, int row, Word inserted, Word* to) const {
    const int step = insert_w + 1;
    if (row % (insert_h + 1) != 0) {
      std::fill_n(to, w(), inserted);
      return;
    }
    const std::byte* from = input.address(n, c, row / (insert_h + 1), 0);
    widen(from, input.w, type, input_w, to);
    if (insert_w == 0) return;
    for (int i = input_w - 1; i >= 0; --i) {  // from the end: spreads in place
      to[static_cast<std::ptrdiff_t>(i) * step] = to[i];
      if (i + 1 < input_w) {
        std::fill_n(to + static_cast<std::ptrdiff_t>(i) * step + 1, insert_w, inserted);
      }
    }
  }
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_INSERTED_ROWS_H_
