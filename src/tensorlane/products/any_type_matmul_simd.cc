// Fast matrix product: both operands become dense words, then dense_product.h.
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <vector>

#include "tensorlane/products/any_type_matmul.h"
#include "tensorlane/products/byte_quads.h"
#include "tensorlane/products/dense_product.h"
#include "tensorlane/products/dense_words.h"
#include "tensorlane/products/integer_words.h"
#include "tensorlane/tiles/tasks.h"

namespace tensorlane {
namespace {

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

// The stored rows x cols matrix.
void read_stored(const AnyTypeMatrix& matrix, int rows, int cols, float* to) {
  for_each_task(rows, std::int64_t{rows} * cols, [&](std::int64_t row) {
    float* words = to + row * cols;
    for_each_part(matrix, static_cast<int>(row), 0, cols,
                  [&](int first, int count, const std::byte* from) {
                    widen(from, matrix.view.w, matrix.type, count, words + first);
                  });
  });
}

void transpose(const float* from, int rows, int cols, float* to) {
  constexpr int kBlock = 16;
  for_each_task((rows + kBlock - 1) / kBlock, std::int64_t{rows} * cols, [&](std::int64_t block) {
    const int first = static_cast<int>(block) * kBlock;
    const int end = std::min(first + kBlock, rows);
    for (int column = 0; column < cols; ++column) {
      float* line = to + static_cast<std::int64_t>(column) * rows;
      for (int row = first; row < end; ++row) {
        line[row] = from[static_cast<std::int64_t>(row) * cols + column];
      }
    }
  });
}

// rows x cols words of a matrix.
Words read_matrix(const AnyTypeMatrix& matrix, int rows, int cols) {
  Words words(static_cast<std::size_t>(rows) * cols);
  if (matrix.is_constant) {
    std::fill_n(words.data(), words.size(), word_of(matrix.bits, matrix.type));
  } else if (matrix.transposed) {
    Words stored(words.size());
    read_stored(matrix, cols, rows, stored.data());
    transpose(stored.data(), cols, rows, words.data());
  } else {
    read_stored(matrix, rows, cols, words.data());
  }
  return words;
}

std::vector<std::int32_t> read_vector(const AnyTypeMatrix& vector, int count) {
  std::vector<std::int32_t> values;
  for (int i = 0; i < count; ++i) {
    values.push_back(static_cast<std::int32_t>(vector.integer_at(0, i)));
  }
  return values;
}

// Subtracts a number per row, or per column.
void subtract(Words& words, int rows, int cols, const std::vector<std::int32_t>& values,
              bool per_row) {
  for (int row = 0; row < rows; ++row) {
    float* line = words.data() + static_cast<std::int64_t>(row) * cols;
    for (int column = 0; column < cols; ++column) {
      line[column] = integer_word(word_integer(line[column]) -
                                  values[static_cast<std::size_t>(per_row ? row : column)]);
    }
  }
}

// Rows of a word each become one row of words.
Words join_rows(const IntegerWords& integers, const Words& words, int rows, int cols) {
  const int count = integers.words(rows);
  Words joined(static_cast<std::size_t>(count) * cols);
  for_each_task(count, std::int64_t{rows} * cols, [&](std::int64_t k) {
    std::vector<const float*> parts;
    for (std::int64_t row = k * integers.size(); row < rows; ++row) {
      if (static_cast<int>(parts.size()) == integers.size()) break;
      parts.push_back(words.data() + row * cols);
    }
    integers.join_inputs(parts, cols, joined.data() + k * cols);
  });
  return joined;
}

// Columns of a word each become one column of words.
Words join_columns(const IntegerWords& integers, const Words& words, int rows, int cols) {
  const int count = integers.words(cols);
  Words joined(static_cast<std::size_t>(rows) * count);
  for_each_task(rows, std::int64_t{rows} * cols, [&](std::int64_t row) {
    const float* from = words.data() + row * cols;
    float* to = joined.data() + row * count;
    std::int32_t parts[4];
    for (int column = 0; column < cols;) {
      std::size_t n = 0;
      for (; n < static_cast<std::size_t>(integers.size()) && column < cols; ++n)
        parts[n] = word_integer(from[column++]);
      *to++ = integers.join_weights({parts, n});
    }
  });
  return joined;
}

// Stored bytes can be taken as they lie: they need no zero point and stand side by side.
bool are_plain_bytes(const AnyTypeMatrix& matrix) {
  return !matrix.is_constant && dtype_bytes(matrix.type) == 1 && matrix.view.w == 1;
}

// Four stored rows to a row of words.
Words zip_stored_rows(const AnyTypeMatrix& matrix, int rows, int cols, std::uint32_t flip) {
  const int count = (rows + 3) / 4;
  Words words(static_cast<std::size_t>(count) * cols);
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

// Four neighbours of a stored row to a word.
Words join_stored_columns(const AnyTypeMatrix& matrix, int rows, int cols, std::uint32_t flip) {
  const int count = (cols + 3) / 4;
  Words words(static_cast<std::size_t>(rows) * count);
  for_each_task(rows, std::int64_t{rows} * cols, [&](std::int64_t row) {
    float* line = words.data() + row * count;
    line[count - 1] = 0;
    for_each_part(matrix, static_cast<int>(row), 0, cols,
                  [&](int first, int part, const std::byte* from) {
                    std::memcpy(reinterpret_cast<std::byte*>(line) + first, from,
                                static_cast<std::size_t>(part));
                  });
    if (flip == 0) return;
    for (int i = 0; i < count; ++i) {
      line[i] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(line[i]) ^ flip);
    }
  });
  return words;
}

Words transposed(const Words& from, int rows, int cols) {
  Words words(from.size());
  transpose(from.data(), rows, cols, words.data());
  return words;
}

// The words of a left and a right operand of plain bytes: [row][step], [step][column].
Words left_quads(const AnyTypeMatrix& left, int rows, int inner) {
  if (!left.transposed) return join_stored_columns(left, rows, inner, 0);
  return transposed(zip_stored_rows(left, inner, rows, 0), (inner + 3) / 4, rows);
}
Words right_quads(const AnyTypeMatrix& right, int inner, int cols, std::uint32_t flip) {
  if (!right.transposed) return zip_stored_rows(right, inner, cols, flip);
  return transposed(join_stored_columns(right, cols, inner, flip), cols, (inner + 3) / 4);
}

class MatmulSink : public ProductSink {
 public:
  explicit MatmulSink(const AnyTypeMatmulArgs& args) : args_(args) {
    if (args.rule() == ProductRule::kInteger) {
      if (args.has_bias) biases_ = read_vector(args.bias, args.cols);
      if (args.has_shifts) shifts_ = read_vector(args.shifts, args.cols);
    }
  }

  bool has_starts() const override {
    return args_.rule() != ProductRule::kInteger && (args_.has_bias || args_.result_add);
  }

  void start(const OutputRun& run, float* first, float* second) const override {
    const auto column = static_cast<int>(run.position);
    SumStart from{.has_bias = args_.has_bias, .has_old = args_.result_add};
    for (int i = 0; i < run.count; ++i) {
      if (from.has_bias) from.bias = args_.bias.float_at(0, column + i);
      if (from.has_old) from.old = args_.output.float_at(run.row, column + i);
      write_start(args_.rule(), from, first[i], second[i]);
    }
  }

  void finish(const OutputRun& run, const float* sums) const override {
    const auto begin = static_cast<int>(run.position);
    for_each_part(args_.output, run.row, begin, run.count,
                  [&](int first, int count, const std::byte* at) {
                    store(first, count, sums + (first - begin), const_cast<std::byte*>(at));
                  });
  }

 private:
  void store(int column, int count, const float* sums, std::byte* to) const {
    if (args_.rule() != ProductRule::kInteger) {
      store_floats(sums, count, args_.output.type, to);
      return;
    }
    IntegerRun run{args_.finish, args_.result_add};
    if (args_.has_bias) run.biases = biases_.data() + column;
    if (args_.has_shifts) run.shifts = shifts_.data() + column;
    store_integers(sums, count, run, to);
  }

  const AnyTypeMatmulArgs& args_;
  std::vector<std::int32_t> biases_;
  std::vector<std::int32_t> shifts_;
};

// The same product with rows and columns exchanged, for a result that is stored transposed.
AnyTypeMatmulArgs exchanged(const AnyTypeMatmulArgs& args) {
  AnyTypeMatmulArgs result = args;
  std::swap(result.left, result.right);
  std::swap(result.rows, result.cols);
  for (AnyTypeMatrix* matrix : {&result.left, &result.right, &result.output}) {
    matrix->transposed = !matrix->transposed;
  }
  return result;
}

bool handles(const AnyTypeMatmulArgs& args) {
  if (args.output.view.w != 1) return false;
  if (args.output.transposed && (args.has_bias || args.has_shifts)) return false;
  if (args.rule() != ProductRule::kInteger) return true;
  return fits_int16(args.left.type) && fits_int16(args.right.type) &&
         exact_in_words(args.finish, args.inner, args.left.type, args.right.type) &&
         !(args.has_shifts && dtype_bytes(args.left.type) > 1);
}

}  // namespace

bool any_type_matmul_simd(const AnyTypeMatmulArgs& original) {
  if (!handles(original)) return false;
  const bool exchange = original.output.transposed;
  const AnyTypeMatmulArgs args = exchange ? exchanged(original) : original;

  DenseProduct product;
  product.rule = args.rule();
  product.h = 1;
  product.w = args.cols;
  product.rows = args.rows;
  product.window.output_h = 1;
  product.window.output_w = args.cols;
  product.channels = args.inner;
  std::vector<std::int32_t> starts;
  Words left, right;
  if (product.rule == ProductRule::kInteger) {
    const std::vector<std::int32_t> zero_points = read_vector(args.zero_points, original.cols);
    const bool plain = std::all_of(zero_points.begin(), zero_points.end(),
                                   [](std::int32_t value) { return value == 0; });
    const IntegerWords integers(args.right.type, args.left.type, plain);
    if (integers.size() == 4 && are_plain_bytes(args.left) && are_plain_bytes(args.right)) {
      left = left_quads(args.left, args.rows, args.inner);
      right = right_quads(args.right, args.inner, args.cols, integers.flip());
    } else {
      left = read_matrix(args.left, args.rows, args.inner);
      right = read_matrix(args.right, args.inner, args.cols);
      if (!plain && exchange) {
        subtract(left, args.rows, args.inner, zero_points, true);
      } else if (!plain) {
        subtract(right, args.inner, args.cols, zero_points, false);
      }
      left = join_columns(integers, left, args.rows, args.inner);
      right = join_rows(integers, right, args.inner, args.cols);
    }
    product.channels = integers.words(args.inner);
    product.factors = integers.factors();
    starts = integers.row_starts(left, static_cast<std::size_t>(product.channels));
    if (!starts.empty()) product.row_starts = starts.data();
  } else {
    left = read_matrix(args.left, args.rows, args.inner);
    right = read_matrix(args.right, args.inner, args.cols);
    product.specials = any_special(left.all()) || any_special(right.all());
  }
  product.steps = product_steps(product.rule, product.channels, 1, 1);
  product.weights = left.data();
  product.input = {reinterpret_cast<std::byte*>(right.data()),
                   1,
                   static_cast<std::int64_t>(right.size()) * 4,
                   0,
                   0,
                   static_cast<std::int64_t>(right.size()),
                   args.cols,
                   args.cols,
                   1};
  return run_dense_product(product, MatmulSink(args));
}

}  // namespace tensorlane
