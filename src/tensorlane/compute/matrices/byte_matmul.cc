// Fast matrix product of bytes with more than a few rows: panels of both operands
// (byte_panels.h), tiles (integer_tile_kinds.h), and what their sums lack.
#include <algorithm>
#include <array>
#include <utility>
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

// The byte of one kind that an operand of two of the other is moved to: by the top bit of all.
struct Moved {
  IntegerFactors factors;   // of the tiles
  std::uint32_t left_flip;  // bits of every word that are turned over
  std::uint32_t right_flip;
  std::int32_t by;  // what the moved ones are too small by

  // Sums of rows of left make up for a moved right operand, sums of columns of right for a left
  // one: the smaller operand is summed.
  Moved(const AnyTypeMatmulArgs& args, bool moves_left)
      : Moved(IntegerWords(args.right.type, args.left.type, true), moves_left) {}

 private:
  Moved(const IntegerWords& words, bool moves_left)
      : factors(words.factors()), left_flip(0), right_flip(words.flip()), by(words.start_for(1)) {
    if (!moves_left || right_flip == 0) return;
    std::swap(left_flip, right_flip);
    factors = factors == IntegerFactors::kUnsignedInputs ? IntegerFactors::kUnsignedWeights
                                                         : IntegerFactors::kUnsignedInputs;
  }
};

// Wanted are sums of left * (right - zero point), or with rows and columns exchanged those of
// (left - zero point) * right; tiles give products of the bytes as they are packed. The rest is the
// zero point of a column times the sum of a row of left, or the reverse. What moved bytes are
// too small by is another zero point, one for all columns, or for all rows.
class ByteProduct {
 public:
  ByteProduct(const AnyTypeMatmulArgs& args, bool exchanged)
      : args_(args),
        exchanged_(exchanged),
        moved_(args, exchanged),
        tiles_(moved_.factors, args.rows, args.inner),
        order_(static_cast<std::size_t>(args.rows)),
        zero_points_(args.zero_points.is_constant
                         ? read_words(args.zero_points, 1)
                         : read_words(args.zero_points, exchanged ? args.rows : args.cols)),
        biases_(args.has_bias ? read_vector(args.bias, args.cols) : std::vector<std::int32_t>()),
        shifts_(args.has_shifts ? read_vector(args.shifts, args.cols)
                                : std::vector<std::int32_t>()),
        stores_sums_(are_results_sums(args) &&
                     tiles_.stores_columns(args.output.cols_per_channel) &&
                     tiles_.stores_columns(args.cols)) {
    const bool none = std::ranges::all_of(zero_points_.all(), [](int value) { return value == 0; });
    const auto rows = static_cast<std::size_t>(args.rows);
    of_all_columns_ = exchanged ? 0 : moved_.by;
    if (exchanged ? !none || moved_.by != 0 : !none && !args.zero_points.is_constant) {
      row_factors_ = Words<std::int32_t>(rows);
      column_factors_ = Words<std::int32_t>(static_cast<std::size_t>(args.cols));
    } else if (!none) {
      of_all_columns_ = wrapping_sub(moved_.by, zero_points_.data()[0]);
    }
    if (of_all_columns_ != 0 && column_factors_.size() == 0) row_terms_ = Words<std::int32_t>(rows);
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

  // Whether nothing happens to a sum on its way to the output.
  static bool are_results_sums(const AnyTypeMatmulArgs& args) {
    const IntegerFinish& finish = args.finish;
    return dtype_bytes(finish.output) == 4 && !finish.saturate && !finish.relu &&
           finish.shift == 0 && finish.multiplier == 1 && !args.result_add && !args.has_bias &&
           !args.has_shifts;
  }

  // Of a row or column in a panel.
  int row_bytes() const { return args_.inner * tiles_.panels().byte_size(); }
  std::int64_t work() const { return std::int64_t{args_.rows} * args_.inner * args_.cols; }

  IntegerStore results() const {
    return {args_.finish,
            args_.result_add,
            {},
            biases_,
            shifts_,
            kMostExactSum,
            {row_terms_.all(), row_factors_.all()}};
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
      tiles_.panels().pack_right(args_.right, first, std::min(each, right.columns - first),
                                 moved_.right_flip, panel + first,
                                 tiles_.panels().pitch(right.columns));
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
    int* const order = order_.data() + first;
    tiles_.panels().pack_left(args_.left, first, count, moved_.left_flip, panel, order);
    if (args_.left.is_constant && args_.output.cols_per_channel == 0)
      order_by_npu(first, count, args_.output.view.npus, order);
    std::int32_t* const factors = row_factors_.data() + first;
    if (exchanged_ && row_factors_.size() != 0) {
      for (int i = 0; i < count; ++i) factors[i] = wrapping_sub(moved_.by, zero_point(order[i]));
    } else if (row_factors_.size() != 0) {
      std::ranges::copy(tiles_.row_sums(panel, count), factors);
    } else if (row_terms_.size() != 0) {
      std::ranges::transform(
          tiles_.row_sums(panel, count), row_terms_.data() + first,
          [by = of_all_columns_](std::int32_t sum) { return wrapping_mul(by, sum); });
    }
  }

  // Rows of a constant are alike: those whose results are in one NPU follow each other.
  static void order_by_npu(int first, int count, int npus, int* order) {
    for (int npu = 0; npu < std::min(npus, count); ++npu) {
      for (int row = npu; row < count; row += npus) *order++ = first + row;
    }
  }

  // Of a row or column.
  std::int32_t zero_point(int index) const {
    return zero_points_.data()[args_.zero_points.is_constant ? 0 : index];
  }

  // Into `panel`, which is that of `right`.
  void pack_right(int first, const RightPanel& right, std::int32_t* panel) {
    tiles_.panels().pack_right(args_.right, first, right.columns, moved_.right_flip, panel,
                               tiles_.panels().pitch(right.columns));
    find_column_factors(first, right);
  }

  // Of the columns of a panel.
  void find_column_factors(int first, const RightPanel& right) {
    if (column_factors_.size() == 0) return;
    std::int32_t* const factors = column_factors_.data() + first;
    if (exchanged_) return tiles_.sum_columns(right, factors);
    for (int i = 0; i < right.columns; ++i)
      factors[i] = wrapping_sub(moved_.by, zero_point(first + i));
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
      const std::int32_t* const block = tiles_.panels().block(left, first);
      if (stores_sums_ && count == block_rows) {
        const int next = first + block_rows;
        fetch_rows(place + next, std::min(block_rows, rows - next), first_column, right.columns);
        store_sums(place + first, block, first_column, right);
        continue;
      }
      tiles_.run(block, count, right, sums, stride);
      finish(place + first, count, first_column, right.columns, sums, stride, store);
    }
  }

  // Columns that lie together, or several times as many, each time in the next NPU.
  struct Parts {
    int first;
    int columns;  // of a part
    int count;
  };

  // visit(parts, where each row of the first of them is)
  template <class Visit>
  void for_each_parts(int place, int rows, int first_column, int columns,
                      const Visit& visit) const {
    const AnyTypeMatrix& output = args_.output;
    const int per_channel = output.cols_per_channel;
    std::array<std::byte*, kMaxTileRows> to;
    if (per_channel == 0) {
      find_channels(place, rows, first_column, to.data());
      return visit(Parts{first_column, columns, 1}, to.data());
    }
    const LocalView& view = output.view;
    const int* const order = order_.data() + place;
    const std::int64_t row_bytes = view.n * view.element_bytes;
    for (int first = first_column, end = first_column + columns; first < end;) {
      const int part = std::min(end - first, per_channel - first % per_channel);
      const int npu = (view.start_npu + first / per_channel) % view.npus;
      const int count =
          part < per_channel ? 1 : std::min((end - first) / per_channel, view.npus - npu);
      std::byte* const at = output.stored_address(0, first);
      for (int r = 0; r < rows; ++r) to[static_cast<std::size_t>(r)] = at + order[r] * row_bytes;
      visit(Parts{first, part, count}, to.data());
      first += part * count;
    }
  }

  // Rows of a result whose rows are channels.
  void find_channels(int place, int rows, int first_column, std::byte** to) const {
    const int* const order = order_.data() + place;
    const LocalView& view = args_.output.view;
    const std::int64_t channel_bytes = view.c * view.element_bytes;  // of the next row of an NPU
    for (int r = 0; r < rows; ++r) {
      to[r] = r > 0 && order[r] == order[r - 1] + view.npus
                  ? to[r - 1] + channel_bytes
                  : args_.output.stored_address(order[r], first_column);
    }
  }

  // Short rows that are channels, of results that a core's caches do not hold, before they are
  // written: they come while the products of those before them are summed up. A store whose line
  // has to come first holds up all behind it.
  void fetch_rows(int place, int rows, int first_column, int columns) const {
    constexpr int kLineBytes = 64, kShortBytes = 1024;
    constexpr std::int64_t kCachedBytes = 1 << 20;
    const int bytes = columns * args_.output.view.element_bytes;
    if (args_.output.cols_per_channel != 0 || bytes > kShortBytes ||
        std::int64_t{args_.rows} * bytes <= kCachedBytes)
      return;
    std::array<std::byte*, kMaxTileRows> to;
    find_channels(place, rows, first_column, to.data());
    for (int r = 0; r < rows; ++r) {
      const std::byte* const row = to[static_cast<std::size_t>(r)];
      for (int i = 0; i < bytes; i += kLineBytes) __builtin_prefetch(row + i, 1);
    }
  }

  void store_sums(int place, const std::int32_t* block, int first_column,
                  const RightPanel& right) const {
    const auto at = [place](const Words<std::int32_t>& words) {
      return words.size() == 0 ? nullptr : words.data() + place;
    };
    for_each_parts(place, tiles_.shape().rows, first_column, right.columns,
                   [&](const Parts& parts, std::byte** to) {
                     for (int part = 0; part < parts.count; ++part) {
                       const int first = parts.first + part * parts.columns;
                       tiles_.run_to(block, right, first - first_column, parts.columns,
                                     {.starts = at(row_terms_),
                                      .row_factors = at(row_factors_),
                                      .column_factors = column_factors_from(first),
                                      .to = to});
                       for (int r = 0; r < tiles_.shape().rows; ++r)
                         to[r] += args_.output.view.npu_bytes;
                     }
                   });
  }

  void finish(int place, int rows, int first_column, int columns, const std::int32_t* sums,
              int stride, const IntegerStore& store) const {
    for_each_parts(place, rows, first_column, columns, [&](const Parts& parts, std::byte** to) {
      store.store({.sums = sums + (parts.first - first_column),
                   .stride = stride,
                   .first_row = place,
                   .rows = rows,
                   .first_column = parts.first,
                   .columns = parts.columns,
                   .to = to,
                   .column_factors = column_factors_from(parts.first),
                   .parts = parts.count,
                   .to_next_part = args_.output.view.npu_bytes});
    });
  }

  const std::int32_t* column_factors_from(int column) const {
    return column_factors_.size() == 0 ? nullptr : column_factors_.data() + column;
  }

  const AnyTypeMatmulArgs& args_;
  const bool exchanged_;
  const Moved moved_;
  const ByteTiles tiles_;
  Words<int> order_;                       // the row in each place of the left panels
  const Words<std::int32_t> zero_points_;  // a constant: one
  const std::vector<std::int32_t> biases_, shifts_;
  const bool stores_sums_;
  std::int32_t of_all_columns_ = 0;
  Words<std::int32_t> row_terms_, row_factors_;  // by place; none: no terms
  Words<std::int32_t> column_factors_;
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
  if (!handles_bytes(args)) return false;
  const DenseCopy left(args.left, args.rows, args.inner, true, WhichMatrices::kAllDivided);
  ByteProduct(args, exchange).run();
  return true;
}

}  // namespace tensorlane
