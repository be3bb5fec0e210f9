// Fast matrix product of floats: both operands become dense fp32 numbers, then dense_product.h.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/matrices/matrix_words.h"
#include "tensorlane/compute/products/byte_quads.h"
#include "tensorlane/compute/products/dense_product.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/products/streamed_product.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane {
namespace {

class Sink : public FloatSink {
 public:
  explicit Sink(const AnyTypeMatmulArgs& args) : args_(args) {
    if (!args.has_bias) return;
    bias_ = Words<float>(static_cast<std::size_t>(args.cols));
    for (int i = 0; i < args.cols; ++i) bias_.data()[i] = args.bias.float_at(0, i);
  }

  bool has_starts() const override { return args_.has_bias || args_.result_add; }

  void start(const OutputRun& run, float* first, float* second) const override {
    const auto begin = static_cast<int>(run.position);
    const auto read_old = [&](float* to) {
      for_each_part(args_.output, run.row, begin, run.count,
                    [&](int column, int count, const std::byte* at) {
                      widen(at, args_.output.view.w, args_.output.type, count, to + column - begin);
                    });
    };
    write_starts(args_.rule(), run.count, args_.has_bias ? bias_.data() + begin : nullptr, 1,
                 args_.result_add ? &read_old : nullptr, first, second);
  }

  void finish(const OutputRun& run, const float* sums) const override {
    const auto begin = static_cast<int>(run.position);
    for_each_part(args_.output, run.row, begin, run.count,
                  [&](int first, int count, std::byte* at) {
                    store_floats(sums + (first - begin), count, args_.output.type, at);
                  });
  }

 private:
  const AnyTypeMatmulArgs& args_;
  Words<float> bias_;
};

// Rows that lie in other NPUs are asked for so many before they are read.
constexpr int kRowsAhead = 8;

// The product goes over strips of columns.
bool goes_by_strips(const AnyTypeMatmulArgs& args) {
  return args.rule() == ProductRule::kFp32Chains || args.rows > kMostStreamedRows;
}

// The left matrix: laid out before, or read row by row as it is packed.
class LeftOperand {
 public:
  LeftOperand(const AnyTypeMatmulArgs& args, SpecialNumbers& specials)
      : matrix_(args.left),
        rows_(args.rows),
        inner_(args.inner),
        gives_rows_(!matrix_.transposed && !matrix_.is_constant && has_dense_rows(matrix_.view) &&
                    goes_by_strips(args)),
        specials_(specials) {
    if (gives_rows_) return;
    dense_ = read_matrix<float>(matrix_, args.rows, args.inner);
    const auto count = static_cast<std::int64_t>(dense_.size());
    for_each_range(count, layout_work(count), [&](std::int64_t begin, std::int64_t end) {
      specials.look_at(dense_.all().subspan(static_cast<std::size_t>(begin),
                                            static_cast<std::size_t>(end - begin)));
    });
  }

  bool gives_rows() const { return gives_rows_; }
  const float* numbers() const { return dense_.data(); }
  void read_rows(int first, int rows, float* to) const {
    std::byte* const buffer =
        thread_scratch<3, std::byte>(static_cast<std::size_t>(inner_) * sizeof(float));
    for (int row = first; row < first + rows; ++row, to += inner_) {
      if (row + kRowsAhead < rows_) fetch_ahead(matrix_, row + kRowsAhead, 0, inner_);
      widen(gathered(matrix_, row, 0, inner_, buffer), 1, matrix_.type, inner_, to);
      specials_.look_at({to, static_cast<std::size_t>(inner_)});
    }
  }
  // Bytes are put in the order of words before they become words.
  bool gives_four_rows() const { return gives_rows_ && dtype_bytes(matrix_.type) == 1; }
  void read_four_rows(int first, float* to) const {
    constexpr int kFour = 4;
    auto* const buffer =
        thread_scratch<3, std::byte>(static_cast<std::size_t>(inner_) * sizeof(float));
    std::array<const std::byte*, kFour> rows{};
    for (int i = 0; i < kFour; ++i) {
      const int row = first + i;
      if (row + kRowsAhead < rows_) fetch_ahead(matrix_, row + kRowsAhead, 0, inner_);
      rows[static_cast<std::size_t>(i)] =
          gathered(matrix_, row, 0, inner_, buffer + std::ptrdiff_t{i} * inner_);
    }
    auto* const words = thread_scratch<3, std::int32_t>(static_cast<std::size_t>(inner_));
    zip_bytes(rows, inner_, 0, words);
    const int count = kFour * inner_;
    widen(reinterpret_cast<const std::byte*>(words), 1, matrix_.type, count, to);
    specials_.look_at({to, static_cast<std::size_t>(count)});
  }

 private:
  const AnyTypeMatrix& matrix_;
  const int rows_, inner_;
  const bool gives_rows_;
  SpecialNumbers& specials_;
  Words<float> dense_;
};

// The right matrix: read where it is stored, unless rows are wanted and that is the wrong way
// round.
class RightOperand {
 public:
  RightOperand(const AnyTypeMatmulArgs& args, SpecialNumbers& specials)
      : matrix_(args.right),
        inner_(args.inner),
        cols_(args.cols),
        gives_columns_(matrix_.transposed && !matrix_.is_constant && has_dense_rows(matrix_.view) &&
                       goes_by_strips(args)),
        specials_(specials) {
    if (!gives_columns_ && (matrix_.is_constant || matrix_.transposed))
      dense_ = read_matrix<float>(matrix_, args.inner, args.cols);
  }

  // Of a matrix that is stored column by column, and not read whole.
  bool gives_columns() const { return gives_columns_; }
  void read_columns(int first, int count, int width, float* to) const {
    if (dtype_bytes(matrix_.type) == 1) return read_columns_of_bytes(first, count, width, to);
    const std::int64_t pitch = inner_ + kColumnSlack;
    auto* const columns = thread_scratch<4>(static_cast<std::size_t>(pitch) * count);
    std::byte* const buffer =
        thread_scratch<3, std::byte>(static_cast<std::size_t>(inner_) * sizeof(float));
    for (int i = 0; i < count; ++i) {
      if (first + i + kRowsAhead < cols_) fetch_ahead(matrix_, first + i + kRowsAhead, 0, inner_);
      const std::byte* const from = gathered(matrix_, first + i, 0, inner_, buffer);
      float* const column = columns + i * pitch;
      widen(from, 1, matrix_.type, inner_, column);
      specials_.look_at({column, static_cast<std::size_t>(inner_)});
    }
    if (count < width) std::fill_n(to, std::int64_t{inner_} * width, 0.0F);
    transpose_words(columns, pitch, count, inner_, to, width);
  }

  void read(const InputPart& part, float* to) const {
    const auto count = static_cast<std::size_t>(part.count);
    if (dense_.size() > 0) {
      const float* from = dense_.data() + std::int64_t{part.channel} * cols_ + part.first;
      std::memcpy(to, from, count * sizeof *to);
    } else {
      if (part.channel + 1 < inner_) fetch_ahead(matrix_, part.channel + 1, part.first, part.count);
      read_stored(part, to);
    }
    specials_.look_at({to, count});
  }

 private:
  // Bytes are turned round before they become words. Those of no column are zeros.
  void read_columns_of_bytes(int first, int count, int width, float* to) const {
    const std::int64_t pitch = inner_ + kColumnSlack;
    auto* const columns = thread_scratch<3, std::byte>(static_cast<std::size_t>(pitch) * count);
    for (int i = 0; i < count; ++i) {
      if (first + i + kRowsAhead < cols_) fetch_ahead(matrix_, first + i + kRowsAhead, 0, inner_);
      std::byte* const column = columns + i * pitch;
      const std::byte* const from = gathered(matrix_, first + i, 0, inner_, column);
      if (from != column) std::memcpy(column, from, static_cast<std::size_t>(inner_));
    }
    const auto size = static_cast<std::size_t>(inner_) * static_cast<std::size_t>(width);
    auto* const rows = thread_scratch<4, std::byte>(size);
    if (count < width) std::fill_n(rows, size, std::byte{0});
    Box box;
    box.rank = 2;
    box.loops[0] = {count, {1, pitch}};
    box.loops[1] = {inner_, {width, 1}};
    strided_copy(box, rows, columns, 1, CopyThreads::kSerial);
    widen(rows, 1, matrix_.type, static_cast<int>(size), to);
    specials_.look_at({to, size});
  }

  void read_stored(const InputPart& part, float* to) const {
    if (!has_dense_rows(matrix_.view)) {
      for_each_part(matrix_, part.channel, part.first, part.count,
                    [&](int first, int columns, const std::byte* from) {
                      widen(from, matrix_.view.w, matrix_.type, columns, to + (first - part.first));
                    });
      return;
    }
    const bool is_fp32 = matrix_.type == Dtype::kFp32;
    std::byte* const buffer =
        is_fp32 ? reinterpret_cast<std::byte*>(to)
                : thread_scratch<3, std::byte>(static_cast<std::size_t>(part.count) * 2);
    const std::byte* from = gathered(matrix_, part.channel, part.first, part.count, buffer);
    if (!is_fp32) return widen(from, 1, matrix_.type, part.count, to);
    if (from != buffer) std::memcpy(to, from, static_cast<std::size_t>(part.count) * sizeof *to);
  }

  // From one column to the next: not a power of two, as they compete for lines of the cache.
  static constexpr int kColumnSlack = 16;

  const AnyTypeMatrix& matrix_;
  const int inner_;
  const int cols_;
  const bool gives_columns_;
  SpecialNumbers& specials_;
  Words<float> dense_;
};

}  // namespace

bool float_matmul_simd(const AnyTypeMatmulArgs& original) {
  const AnyTypeMatmulArgs args = original.output.transposed ? exchanged(original) : original;
  SpecialNumbers specials(args.rule());
  const LeftOperand left(args, specials);
  const RightOperand right(args, specials);
  DenseOperands<float> operands{
      .frame = matrix_frame(args, {}, args.inner),
      .read = [&](const InputPart& part, float* to) { right.read(part, to); },
      .steps = product_steps(args.rule(), args.inner, 1, 1, args.block_channels),
      .weights = left.numbers()};
  FloatProduct product{.operands = std::move(operands), .rule = args.rule(), .specials = [&] {
                         return specials.seen();
                       }};
  if (left.gives_rows()) {
    product.read_rows = [&](int first, int rows, float* to) { left.read_rows(first, rows, to); };
  }
  if (left.gives_four_rows())
    product.read_four_rows = [&](int first, float* to) { left.read_four_rows(first, to); };
  if (right.gives_columns()) {
    product.read_columns = [&](int first, int count, int width, float* to) {
      right.read_columns(first, count, width, to);
    };
  }
  return run_product(product, Sink(args));
}

}  // namespace tensorlane
