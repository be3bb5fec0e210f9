// Fast matrix product of integers: neighbours along the reduction share words, then
// dense_product.h.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/matrices/byte_panels.h"
#include "tensorlane/compute/matrices/matrix_words.h"
#include "tensorlane/compute/products/dense_product.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/integer_store.h"
#include "tensorlane/compute/products/integer_words.h"

namespace tensorlane {
namespace {

// Rows of a word each become one row of words.
Words<std::int32_t> join_rows(const IntegerWords& integers, const Words<std::int32_t>& words,
                              int rows, int cols) {
  const int count = integers.words(rows);
  Words<std::int32_t> joined(static_cast<std::size_t>(count) * cols);
  for_each_task(count, layout_work(std::int64_t{rows} * cols), [&](std::int64_t k) {
    std::vector<const std::int32_t*> parts;
    for (std::int64_t row = k * integers.size(); row < rows; ++row) {
      if (static_cast<int>(parts.size()) == integers.size()) break;
      parts.push_back(words.data() + row * cols);
    }
    integers.join_inputs(parts, cols, joined.data() + k * cols);
  });
  return joined;
}

// Columns of a word each become one column of words.
Words<std::int32_t> join_columns(const IntegerWords& integers, const Words<std::int32_t>& words,
                                 int rows, int cols) {
  const int count = integers.words(cols);
  const int size = integers.size();
  Words<std::int32_t> joined(static_cast<std::size_t>(rows) * count);
  for_each_task(rows, layout_work(std::int64_t{rows} * cols), [&](std::int64_t row) {
    const std::int32_t* from = words.data() + row * cols;
    std::int32_t* to = joined.data() + row * count;
    for (int column = 0; column < cols; column += size) {
      const auto parts = static_cast<std::size_t>(std::min(size, cols - column));
      *to++ = integers.join_weights({from + column, parts});
    }
  });
  return joined;
}

// Stored bytes can be taken as they lie.
bool are_stored_bytes(const IntegerWords& integers, const AnyTypeMatrix& matrix) {
  return integers.size() == 4 && !matrix.is_constant && are_plain_bytes(matrix);
}

Words<std::int32_t> zip_stored_rows(const AnyTypeMatrix& matrix, int rows, int cols) {
  const int count = (rows + 3) / 4;
  Words<std::int32_t> words(static_cast<std::size_t>(count) * cols);
  for_each_task(count, layout_work(std::int64_t{rows} * cols), [&](std::int64_t k) {
    zip_stored_rows(matrix, static_cast<int>(k) * 4, rows, 0, cols, 0, words.data() + k * cols);
  });
  return words;
}

void flip_words(std::int32_t* words, int count, std::uint32_t flip) {
  for (int i = 0; i < count; ++i) words[i] ^= static_cast<std::int32_t>(flip);
}

// Four neighbours of a stored row to a word.
Words<std::int32_t> join_stored_columns(const AnyTypeMatrix& matrix, int rows, int cols,
                                        std::uint32_t flip) {
  const int count = (cols + 3) / 4;
  Words<std::int32_t> words(static_cast<std::size_t>(rows) * count);
  for_each_task(rows, layout_work(std::int64_t{rows} * cols), [&](std::int64_t row) {
    std::int32_t* line = words.data() + row * count;
    line[count - 1] = 0;
    for_each_part(matrix, static_cast<int>(row), 0, cols,
                  [&](int first, int part, const std::byte* from) {
                    std::memcpy(reinterpret_cast<std::byte*>(line) + first, from,
                                static_cast<std::size_t>(part));
                  });
    if (flip == 0) return;
    flip_words(line, count, flip);
  });
  return words;
}

// Two neighbours of stored columns to a word: rows `row` and the next of `rows`, of `count` columns
// from `first` on. Read where they lie: words of all elements would be eight times as many bytes.
void zip_stored_pairs(const AnyTypeMatrix& matrix, int row, int rows, int first, int count,
                      std::int32_t* to) {
  for_each_part(matrix, row, first, count, [&](int at, int part, const std::byte* from) {
    const std::byte* const next = row + 1 == rows ? nullptr : matrix.stored_address(row + 1, at);
    zip_short_integers(from, next, matrix.type, part, to + (at - first));
  });
}

// The same rows of as many columns behind these, which are read next.
void fetch_next(const AnyTypeMatrix& matrix, const InputPart& part, int size, int rows, int cols) {
  const int first = part.first + part.count;
  const int end = std::min(rows, (part.channel + 1) * size);
  for (int row = part.channel * size; first < cols && row < end; ++row)
    fetch_ahead(matrix, row, first, std::min(part.count, cols - first));
}

// The words of the left operand: [row][step].
Words<std::int32_t> left_words(const IntegerWords& integers, const AnyTypeMatrix& left, int rows,
                               int inner) {
  if (!are_stored_bytes(integers, left)) {
    return join_columns(integers, read_matrix<std::int32_t>(left, rows, inner), rows, inner);
  }
  if (!left.transposed) return join_stored_columns(left, rows, inner, 0);
  return transposed(zip_stored_rows(left, inner, rows), (inner + 3) / 4, rows);
}

// The words of the right operand, [step][column]: all of them, or read where they are stored.
struct RightWords {
  Words<std::int32_t> words;
  ReadInput<std::int32_t> read;
};
RightWords right_words(const IntegerWords& integers, const AnyTypeMatrix& right, int inner,
                       int cols) {
  RightWords result;
  const bool are_pairs = integers.size() == 2 && integers.flip() == 0 && !right.is_constant &&
                         !right.transposed && dtype_bytes(right.type) <= 2 &&
                         has_dense_rows(right.view);
  if (are_pairs) {
    result.read = [=, &right](const InputPart& part, std::int32_t* to) {
      zip_stored_pairs(right, part.channel * 2, inner, part.first, part.count, to);
      fetch_next(right, part, 2, inner, cols);
    };
  } else if (!are_stored_bytes(integers, right)) {
    result.words = join_rows(integers, read_matrix<std::int32_t>(right, inner, cols), inner, cols);
  } else if (right.transposed) {
    result.words =
        transposed(join_stored_columns(right, cols, inner, integers.flip()), cols, (inner + 3) / 4);
  } else {
    result.read = [=, &right, flip = integers.flip()](const InputPart& part, std::int32_t* to) {
      zip_stored_rows(right, part.channel * 4, inner, part.first, part.count, flip, to);
      fetch_next(right, part, 4, inner, cols);
    };
  }
  if (!result.read) {
    result.read = [=, words = result.words.data()](const InputPart& part, std::int32_t* to) {
      std::memcpy(to, words + std::int64_t{part.channel} * cols + part.first,
                  static_cast<std::size_t>(part.count) * sizeof *to);
    };
  }
  return result;
}

// Words of weights 1, for the sums of the right operand's columns.
std::vector<std::int32_t> ones(const IntegerWords& integers, int inner) {
  const std::int32_t parts[] = {1, 1, 1, 1};
  std::vector<std::int32_t> words;
  for (int k = 0; k < inner; k += integers.size()) {
    const int count = std::min(integers.size(), inner - k);
    words.push_back(integers.join_weights({parts, static_cast<std::size_t>(count)}));
  }
  return words;
}

// What sums lack (IntegerCorrection): zero points of the right operand's columns by sums of rows of
// the left one, or where the two were exchanged zero points of its rows by sums of inputs.
struct ZeroPoints {
  std::vector<std::int32_t> rows, row_factors;
  std::vector<std::int32_t> column_factors;  // empty: the sums of inputs
};

ZeroPoints zero_points(const AnyTypeMatmulArgs& args, bool exchanged, const IntegerWords& integers,
                       const Words<std::int32_t>& left, std::span<const std::int32_t> ones) {
  ZeroPoints result;
  std::vector<std::int32_t> values =
      read_vector(args.zero_points, exchanged ? args.rows : args.cols);
  const bool none =
      std::all_of(values.begin(), values.end(), [](std::int32_t value) { return value == 0; });
  if (none && integers.flip() == 0) return result;
  for (std::int32_t& value : values) value = wrapping_sub(0, value);
  std::vector<std::int32_t> sums = integers.row_sums(left.all(), ones.size());
  result.rows = sums;
  if (!none && exchanged) {
    const std::int32_t count = integers.row_sums(ones, ones.size()).front();
    for (std::size_t row = 0; row < values.size(); ++row)
      result.rows[row] = wrapping_add(sums[row], wrapping_mul(values[row], count));
    result.row_factors = std::move(values);
  } else if (!none) {
    result.row_factors = std::move(sums);
    result.column_factors = std::move(values);
  }
  for (std::int32_t& row : result.rows) row = integers.start_for(row);
  return result;
}

class Sink : public IntegerSink {
 public:
  Sink(const AnyTypeMatmulArgs& args, const ZeroPoints& zero_points)
      : args_(args),
        zero_points_(zero_points),
        biases_(args.has_bias ? read_vector(args.bias, args.cols) : std::vector<std::int32_t>()),
        shifts_(args.has_shifts ? read_vector(args.shifts, args.cols)
                                : std::vector<std::int32_t>()),
        store_(args.finish, args.result_add, {}, biases_, shifts_, kMostExactSum,
               {zero_points.rows, zero_points.row_factors}) {}

  void finish(const OutputRun& run, int rows, const std::int32_t* sums, int stride,
              const std::int32_t* input_sums) const override {
    const auto begin = static_cast<int>(run.position);
    const std::int32_t* factors = zero_points_.column_factors.empty()
                                      ? input_sums
                                      : zero_points_.column_factors.data() + begin;
    const AnyTypeMatrix& output = args_.output;
    const std::int64_t row_bytes = output.view.n * output.view.element_bytes;
    for_each_part(output, run.row, begin, run.count, [&](int first, int count, std::byte* at) {
      std::array<std::byte*, kMaxTileRows> to;
      for (int r = 0; r < rows; ++r)
        to[static_cast<std::size_t>(r)] = output.cols_per_channel == 0
                                              ? output.stored_address(run.row + r, first)
                                              : at + r * row_bytes;
      store_.store({.sums = sums + (first - begin),
                    .stride = stride,
                    .first_row = run.row,
                    .rows = rows,
                    .first_column = first,
                    .columns = count,
                    .to = to.data(),
                    .column_factors = factors == nullptr ? nullptr : factors + (first - begin)});
    });
  }

 private:
  const AnyTypeMatmulArgs& args_;
  const ZeroPoints& zero_points_;
  const std::vector<std::int32_t> biases_;
  const std::vector<std::int32_t> shifts_;
  const IntegerStore store_;
};

bool handles(const AnyTypeMatmulArgs& args) {
  IntegerFinish finish = args.finish;
  if (args.has_shifts) finish.shift = -1;  // one of them may be
  return fits_int16(args.left.type) && fits_int16(args.right.type) &&
         exact_in_words(finish, args.inner, args.left.type, args.right.type);
}

}  // namespace

bool integer_matmul_simd(const AnyTypeMatmulArgs& original) {
  if (!handles(original)) return false;
  const bool exchange = original.output.transposed;
  const AnyTypeMatmulArgs args = exchange ? exchanged(original) : original;
  const IntegerWords integers(args.right.type, args.left.type, true);
  const Words<std::int32_t> left = left_words(integers, args.left, args.rows, args.inner);
  const RightWords right = right_words(integers, args.right, args.inner, args.cols);
  const std::vector<std::int32_t> units = ones(integers, args.inner);
  const ZeroPoints zeros = zero_points(args, exchange, integers, left, units);
  const auto channels = static_cast<int>(units.size());
  const bool sums_inputs = !zeros.row_factors.empty() && zeros.column_factors.empty();
  const IntegerProduct product{
      .operands = {.frame = matrix_frame(args, {}, channels),
                   .read = right.read,
                   .steps = product_steps(ProductRule::kInteger, channels, 1, 1),
                   .weights = left.data()},
      .factors = integers.factors(),
      .ones = sums_inputs ? std::span<const std::int32_t>(units) : std::span<const std::int32_t>()};
  return run_product(product, Sink(args, zeros));
}

}  // namespace tensorlane
