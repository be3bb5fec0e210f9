// Fast matrix product of bytes with more than a few rows: panels of both operands
// (byte_panels.h), tiles (integer_tile_kinds.h), and what their sums lack.
#include <algorithm>
#include <array>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/matrices/byte_panels.h"
#include "tensorlane/compute/matrices/byte_tiles.h"
#include "tensorlane/compute/matrices/divided_matrix.h"
#include "tensorlane/compute/matrices/matrix_words.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/integer_store.h"
#include "tensorlane/compute/products/integer_words.h"
#include "tensorlane/compute/products/streamed_product.h"

namespace tensorlane {
namespace {

// Panels stay in the second-level cache. Rows of results are written as far at a time as a panel of
// the right matrix has columns.
constexpr int kPanelBytes = 512 * 1024;
constexpr int kMostPanelColumns = 1024;
constexpr int kLeastPanelColumns = 64;
// Rows of a panel of the left matrix: a multiple of every chip's NPUs, so that all have rows.
constexpr int kPanelRows = 2048;
constexpr int kLeastPanelRows = 128;

// Wanted are sums of left * (right - zero point), or with rows and columns exchanged those of
// (left - zero point) * right; tiles give products of the bytes as they are packed. The rest is the
// zero point of a column times the sum of a row of left, or the reverse. What flipped inputs are
// too large by is another zero point, one for all columns.
class ByteProduct {
 public:
  ByteProduct(const AnyTypeMatmulArgs& args, bool exchanged, const IntegerWords& integers)
      : args_(args),
        exchanged_(exchanged),
        flip_(integers.flip()),
        flipped_by_(integers.start_for(1)),
        tiles_(integers.factors(), args.rows, args.inner),
        order_(static_cast<std::size_t>(args.rows)),
        zero_points_(read_vector(args.zero_points, exchanged ? args.rows : args.cols)),
        biases_(args.has_bias ? read_vector(args.bias, args.cols) : std::vector<std::int32_t>()),
        shifts_(args.has_shifts ? read_vector(args.shifts, args.cols)
                                : std::vector<std::int32_t>()) {
    const bool none = std::ranges::all_of(zero_points_, [](int value) { return value == 0; });
    of_all_columns_ = flipped_by_;
    if (!none && !exchanged && args.zero_points.is_constant) {
      of_all_columns_ = wrapping_sub(flipped_by_, zero_points_.front());
    } else if (!none) {
      row_factors_.resize(static_cast<std::size_t>(args.rows));
      column_factors_.resize(static_cast<std::size_t>(args.cols));
    }
    if (of_all_columns_ != 0 && (exchanged || column_factors_.empty()))
      row_terms_.resize(static_cast<std::size_t>(args.rows));
  }

  // The operand that fits one panel is packed once for all panels of the other.
  void run() {
    if (args_.cols <= most_panel_columns()) {
      run_by_rows();
    } else {
      run_by_columns();
    }
  }

 private:
  int most_panel_columns() const {
    const int most = kPanelBytes / row_bytes() / kLeastPanelColumns * kLeastPanelColumns;
    return std::clamp(most, kLeastPanelColumns, kMostPanelColumns);
  }

  // Of a row or column in a panel.
  int row_bytes() const { return args_.inner * tiles_.panels().byte_size(); }
  std::int64_t work() const { return std::int64_t{args_.rows} * args_.inner * args_.cols; }

  IntegerStore results() const {
    return {args_.finish,  args_.result_add,          {}, biases_, shifts_,
            kMostExactSum, {row_terms_, row_factors_}};
  }

  void run_by_rows() {
    const BytePanels& panels = tiles_.panels();
    Words<std::int32_t> shared(panels.right_words(args_.cols));
    const RightPanel right = tiles_.right(shared.data(), args_.cols);
    pack_shared(right, shared.data());
    const IntegerStore store = results();
    for_each_left_panel(work(), [&](int first, int count) {
      auto* const left = thread_scratch<0, std::int32_t>(panels.left_words(count));
      pack_left(first, count, left);
      multiply(first, count, left, 0, right, store);
    });
  }

  void run_by_columns() {
    const BytePanels& panels = tiles_.panels();
    Words<std::int32_t> left(panels.left_words(args_.rows));
    for_each_left_panel(
        layout_work(std::int64_t{args_.rows} * args_.inner),
        [&](int first, int count) { pack_left(first, count, panels.block(left.data(), first)); });
    const IntegerStore store = results();
    const int each = part(args_.cols, most_panel_columns(), kLeastPanelColumns, work());
    const int count = (args_.cols + each - 1) / each;
    for_each_task(count, work(), [&](std::int64_t i) {
      const InTileScope scope(tiles_.scope());
      const int first = static_cast<int>(i) * each;
      const int columns = std::min(each, args_.cols - first);
      auto* const panel = thread_scratch<0, std::int32_t>(panels.right_words(columns));
      const RightPanel right = tiles_.right(panel, columns);
      pack_right(first, right, panel);
      multiply(0, args_.rows, left.data(), first, right, store);
    });
  }

  // Rows or columns of a panel, `most` and a multiple of `least`: as many panels for every thread.
  static int part(int all, int most, int least, std::int64_t work) {
    const std::int64_t parts = even_parts((all + most - 1) / most, work);
    const std::int64_t each = (all + parts - 1) / parts;
    return static_cast<int>((each + least - 1) / least * least);
  }

  // A right operand of one panel, some of its columns by each thread.
  void pack_shared(const RightPanel& right, std::int32_t* panel) {
    const std::int64_t packing = layout_work(std::int64_t{args_.inner} * right.columns);
    const int each = part(right.columns, right.columns, kLeastPanelColumns, packing);
    for_each_task((right.columns + each - 1) / each, packing, [&](std::int64_t i) {
      const int first = static_cast<int>(i) * each;
      tiles_.panels().pack_right(args_.right, first, std::min(each, right.columns - first), flip_,
                                 panel + first, tiles_.panels().pitch(right.columns));
    });
    const InTileScope scope(tiles_.scope());
    find_column_factors(0, right);
  }

  // visit(first row, rows)
  template <class Visit>
  void for_each_left_panel(std::int64_t work, const Visit& visit) const {
    const int most = kPanelBytes / 2 / row_bytes() / kLeastPanelRows * kLeastPanelRows;
    const int each =
        part(args_.rows, std::clamp(most, kLeastPanelRows, kPanelRows), kLeastPanelRows, work);
    for_each_task((args_.rows + each - 1) / each, work, [&](std::int64_t i) {
      const InTileScope scope(tiles_.scope());
      const int first = static_cast<int>(i) * each;
      visit(first, std::min(each, args_.rows - first));
    });
  }

  void pack_left(int first, int count, std::int32_t* panel) {
    const auto begin = static_cast<std::size_t>(first);
    tiles_.panels().pack_left(args_.left, first, count, panel, &order_[begin]);
    if (row_terms_.empty() && row_factors_.empty()) return;
    const std::vector<std::int32_t> sums = tiles_.row_sums(panel, count);
    if (!row_terms_.empty()) {
      std::transform(sums.begin(), sums.end(), &row_terms_[begin],
                     [by = of_all_columns_](std::int32_t sum) { return wrapping_mul(by, sum); });
    }
    if (row_factors_.empty()) return;
    if (!exchanged_) {
      std::ranges::copy(sums, &row_factors_[begin]);
      return;
    }
    std::transform(
        &order_[begin], &order_[begin] + count, &row_factors_[begin],
        [zero_points = zero_points_.data()](int row) { return wrapping_sub(0, zero_points[row]); });
  }

  // Into `panel`, which is that of `right`.
  void pack_right(int first, const RightPanel& right, std::int32_t* panel) {
    tiles_.panels().pack_right(args_.right, first, right.columns, flip_, panel,
                               tiles_.panels().pitch(right.columns));
    find_column_factors(first, right);
  }

  // Of the columns of a panel.
  void find_column_factors(int first, const RightPanel& right) {
    if (column_factors_.empty()) return;
    const auto begin = static_cast<std::size_t>(first);
    std::int32_t* const factors = &column_factors_[begin];
    if (exchanged_) tiles_.sum_columns(right, factors);
    for (int i = 0; i < right.columns; ++i) {
      factors[i] =
          exchanged_ ? wrapping_add(factors[i], wrapping_mul(flipped_by_, args_.inner))
                     : wrapping_sub(flipped_by_, zero_points_[begin + static_cast<std::size_t>(i)]);
    }
  }

  // Rows of a left panel whose first has place `place`, columns from `first_column` on.
  void multiply(int place, int rows, const std::int32_t* left, int first_column,
                const RightPanel& right, const IntegerStore& store) const {
    const int stride = tiles_.panels().pitch(right.columns);
    const int block_rows = tiles_.shape().rows;
    auto* const sums =
        thread_scratch<1, std::int32_t>(static_cast<std::size_t>(block_rows) * stride);
    for (int first = 0; first < rows; first += block_rows) {
      const int count = std::min(block_rows, rows - first);
      tiles_.run(tiles_.panels().block(left, first), count, right, sums, stride);
      finish(place + first, count, first_column, right.columns, sums, stride, store);
    }
  }

  void finish(int place, int rows, int first_column, int columns, const std::int32_t* sums,
              int stride, const IntegerStore& store) const {
    const int* const order = &order_[static_cast<std::size_t>(place)];
    const AnyTypeMatrix& output = args_.output;
    const std::int64_t row_bytes = output.view.n * output.view.element_bytes;  // of divided ones
    for_each_part(output, 0, first_column, columns, [&](int first, int count, std::byte* at) {
      std::array<std::byte*, kMaxTileRows> to;
      for (int r = 0; r < rows; ++r)
        to[static_cast<std::size_t>(r)] = output.cols_per_channel == 0
                                              ? output.stored_address(order[r], first)
                                              : at + order[r] * row_bytes;
      store.store({.sums = sums + (first - first_column),
                   .stride = stride,
                   .first_row = place,
                   .rows = rows,
                   .first_column = first,
                   .columns = count,
                   .to = to.data(),
                   .column_factors = column_factors_.empty()
                                         ? nullptr
                                         : &column_factors_[static_cast<std::size_t>(first)]});
    });
  }

  const AnyTypeMatmulArgs& args_;
  const bool exchanged_;
  const std::uint32_t flip_;
  const std::int32_t flipped_by_;  // what inputs lack
  const ByteTiles tiles_;
  std::vector<int> order_;  // the row in each place of the left panels
  const std::vector<std::int32_t> zero_points_, biases_, shifts_;
  std::int32_t of_all_columns_ = 0;
  std::vector<std::int32_t> row_terms_, row_factors_, column_factors_;  // by place, by column
};

bool handles_bytes(const AnyTypeMatmulArgs& args) {
  IntegerFinish finish = args.finish;
  if (args.has_shifts) finish.shift = -1;  // one of them may be
  return are_plain_bytes(args.left) && are_plain_bytes(args.right) &&
         args.rows > kMostStreamedRows &&
         !(args.right.transposed && args.right.cols_per_channel != 0) &&
         exact_in_words(finish, args.inner, args.left.type, args.right.type);
}

}  // namespace

bool byte_matmul_simd(const AnyTypeMatmulArgs& original) {
  const bool exchange = original.output.transposed;
  AnyTypeMatmulArgs args = exchange ? exchanged(original) : original;
  const IntegerWords integers(args.right.type, args.left.type, true);
  if (!handles_bytes(args)) return false;
  const DenseCopy left(args.left, args.rows, args.inner, true, WhichMatrices::kAllDivided);
  ByteProduct(args, exchange, integers).run();
  return true;
}

}  // namespace tensorlane
