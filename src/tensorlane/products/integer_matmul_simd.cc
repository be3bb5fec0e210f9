// Fast matrix product of integers: neighbours along the reduction share words, then
// dense_product.h.
#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "tensorlane/products/any_type_matmul.h"
#include "tensorlane/products/byte_quads.h"
#include "tensorlane/products/dense_product.h"
#include "tensorlane/products/dense_words.h"
#include "tensorlane/products/integer_words.h"
#include "tensorlane/products/matrix_words.h"
#include "tensorlane/tiles/tasks.h"

namespace tensorlane {
namespace {

std::vector<std::int32_t> read_vector(const AnyTypeMatrix& vector, int count) {
  std::vector<std::int32_t> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(static_cast<std::int32_t>(vector.integer_at(0, i)));
  }
  return values;
}

// Subtracts a number per row, or per column.
void subtract_from_rows(Words<std::int32_t>& words, int cols,
                        std::span<const std::int32_t> values) {
  std::int32_t* line = words.data();
  for (const std::int32_t value : values) {
    for (int column = 0; column < cols; ++column) line[column] -= value;
    line += cols;
  }
}
void subtract_from_columns(Words<std::int32_t>& words, int rows,
                           std::span<const std::int32_t> values) {
  const auto cols = static_cast<int>(values.size());
  std::int32_t* line = words.data();
  for (int row = 0; row < rows; ++row, line += cols) {
    for (int column = 0; column < cols; ++column) line[column] -= values[column];
  }
}

// Rows of a word each become one row of words.
Words<std::int32_t> join_rows(const IntegerWords& integers, const Words<std::int32_t>& words,
                              int rows, int cols) {
  const int count = integers.words(rows);
  Words<std::int32_t> joined(static_cast<std::size_t>(count) * cols);
  for_each_task(count, std::int64_t{rows} * cols, [&](std::int64_t k) {
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
  for_each_task(rows, std::int64_t{rows} * cols, [&](std::int64_t row) {
    const std::int32_t* from = words.data() + row * cols;
    std::int32_t* to = joined.data() + row * count;
    for (int column = 0; column < cols; column += size) {
      const auto parts = static_cast<std::size_t>(std::min(size, cols - column));
      *to++ = integers.join_weights({from + column, parts});
    }
  });
  return joined;
}

// Stored bytes can be taken as they lie: they need no zero point and stand side by side.
bool are_plain_bytes(const AnyTypeMatrix& matrix) {
  return !matrix.is_constant && dtype_bytes(matrix.type) == 1 && matrix.view.w == 1;
}

// Four stored rows to a row of words.
Words<std::int32_t> zip_stored_rows(const AnyTypeMatrix& matrix, int rows, int cols,
                                    std::uint32_t flip) {
  const int count = (rows + 3) / 4;
  Words<std::int32_t> words(static_cast<std::size_t>(count) * cols);
  for_each_task(count, std::int64_t{rows} * cols, [&](std::int64_t k) {
    const int first = static_cast<int>(k) * 4;
    for_each_part(matrix, first, 0, cols, [&](int column, int part, const std::byte*) {
      std::array<const std::byte*, 4> from{};
      for (int i = 0; i < std::min(4, rows - first); ++i) {
        from[static_cast<std::size_t>(i)] = matrix.stored_address(first + i, column);
      }
      zip_bytes(from, part, flip, words.data() + k * cols + column);
    });
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
  for_each_task(rows, std::int64_t{rows} * cols, [&](std::int64_t row) {
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

// The words of a left and a right operand of plain bytes: [row][step], [step][column].
Words<std::int32_t> left_quads(const AnyTypeMatrix& left, int rows, int inner) {
  if (!left.transposed) return join_stored_columns(left, rows, inner, 0);
  return transposed(zip_stored_rows(left, inner, rows, 0), (inner + 3) / 4, rows);
}
Words<std::int32_t> right_quads(const AnyTypeMatrix& right, int inner, int cols,
                                std::uint32_t flip) {
  if (!right.transposed) return zip_stored_rows(right, inner, cols, flip);
  return transposed(join_stored_columns(right, cols, inner, flip), cols, (inner + 3) / 4);
}

class Sink : public IntegerSink {
 public:
  explicit Sink(const AnyTypeMatmulArgs& args) : args_(args) {
    if (args.has_bias) biases_ = read_vector(args.bias, args.cols);
    if (args.has_shifts) shifts_ = read_vector(args.shifts, args.cols);
  }

  void finish(const OutputRun& run, const std::int32_t* sums) const override {
    const auto begin = static_cast<int>(run.position);
    for_each_part(args_.output, run.row, begin, run.count,
                  [&](int first, int count, std::byte* at) {
                    IntegerRun integers{args_.finish, args_.result_add};
                    if (args_.has_bias) integers.biases = biases_.data() + first;
                    if (args_.has_shifts) integers.shifts = shifts_.data() + first;
                    store_integers(sums + (first - begin), count, integers, at);
                  });
  }

 private:
  const AnyTypeMatmulArgs& args_;
  std::vector<std::int32_t> biases_;
  std::vector<std::int32_t> shifts_;
};

bool handles(const AnyTypeMatmulArgs& args) {
  return fits_int16(args.left.type) && fits_int16(args.right.type) &&
         exact_in_words(args.finish, args.inner, args.left.type, args.right.type) &&
         !(args.has_shifts && dtype_bytes(args.left.type) > 1);
}

}  // namespace

bool integer_matmul_simd(const AnyTypeMatmulArgs& original) {
  if (!handles(original)) return false;
  const bool exchange = original.output.transposed;
  const AnyTypeMatmulArgs args = exchange ? exchanged(original) : original;
  const std::vector<std::int32_t> zero_points = read_vector(args.zero_points, original.cols);
  const bool plain = std::all_of(zero_points.begin(), zero_points.end(),
                                 [](std::int32_t value) { return value == 0; });
  const IntegerWords integers(args.right.type, args.left.type, plain);
  Words<std::int32_t> left, right;
  if (integers.size() == 4 && are_plain_bytes(args.left) && are_plain_bytes(args.right)) {
    left = left_quads(args.left, args.rows, args.inner);
    right = right_quads(args.right, args.inner, args.cols, integers.flip());
  } else {
    left = read_matrix<std::int32_t>(args.left, args.rows, args.inner);
    right = read_matrix<std::int32_t>(args.right, args.inner, args.cols);
    if (!plain && exchange) {
      subtract_from_rows(left, args.inner, zero_points);
    } else if (!plain) {
      subtract_from_columns(right, args.inner, zero_points);
    }
    left = join_columns(integers, left, args.rows, args.inner);
    right = join_rows(integers, right, args.inner, args.cols);
  }
  const int channels = integers.words(args.inner);
  const std::vector<std::int32_t> starts =
      integers.row_starts(left.all(), static_cast<std::size_t>(channels));
  const LocalView view = dense_view(right.data(), channels, 1, args.cols);
  const IntegerProduct product{
      .operands = {.frame = matrix_frame(args, view, channels),
                   .steps = product_steps(ProductRule::kInteger, channels, 1, 1),
                   .weights = left.data()},
      .factors = integers.factors(),
      .row_starts = starts.empty() ? nullptr : starts.data()};
  return run_product(product, Sink(args));
}

}  // namespace tensorlane
