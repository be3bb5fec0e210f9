#include "tensorlane/compute/matrices/matrix_words.h"

#include <utility>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/layout/strided_copy.h"

namespace tensorlane {
namespace {

constexpr int kBlock = 64;  // rows that are transposed together

// The stored rows x cols matrix.
template <class Word>
void read_stored(const AnyTypeMatrix& matrix, int rows, int cols, Word* to) {
  for_each_task(rows, layout_work(std::int64_t{rows} * cols), [&](std::int64_t row) {
    Word* words = to + row * cols;
    if (has_dense_rows(matrix.view)) {
      std::byte* const buffer = thread_scratch<0, std::byte>(static_cast<std::size_t>(cols) * 4);
      const std::byte* from = gathered(matrix, static_cast<int>(row), 0, cols, buffer);
      return widen(from, 1, matrix.type, cols, words);
    }
    for_each_part(matrix, static_cast<int>(row), 0, cols,
                  [&](int first, int count, const std::byte* from) {
                    widen(from, matrix.view.w, matrix.type, count, words + first);
                  });
  });
}

// A vector with an element in each channel.
void read_channels(const AnyTypeMatrix& vector, int count, std::int32_t* to) {
  if (dtype_bytes(vector.type) == 1) {
    const int sign = dtype_info(vector.type).is_signed ? 0x80 : 0;
    for_each_channel_row(vector, 0, count, [=](int row, const std::byte* at) {
      to[row] = (std::to_integer<int>(*at) ^ sign) - sign;
    });
    return;
  }
  for_each_channel_row(vector, 0, count, [&](int row, const std::byte* at) {
    to[row] = static_cast<std::int32_t>(load_integer(at, vector.type));
  });
}

}  // namespace

void transpose_words(const void* from, std::int64_t from_pitch, int rows, int cols, void* to,
                     std::int64_t to_pitch) {
  constexpr std::int64_t kBytes = 4;
  Box box;
  box.rank = 2;
  box.loops[0] = {cols, {to_pitch * kBytes, kBytes}};
  box.loops[1] = {rows, {kBytes, from_pitch * kBytes}};
  strided_copy(box, static_cast<std::byte*>(to), static_cast<const std::byte*>(from), kBytes,
               CopyThreads::kSerial);
}

template <class Word>
Words<Word> transposed(const Words<Word>& from, int rows, int cols) {
  Words<Word> words(from.size());
  const std::int64_t work = layout_work(std::int64_t{rows} * cols);
  for_each_task((rows + kBlock - 1) / kBlock, work, [&](std::int64_t block) {
    const std::int64_t first = block * kBlock;
    transpose_words(from.data() + first * cols, cols,
                    static_cast<int>(std::min<std::int64_t>(kBlock, rows - first)), cols,
                    words.data() + first, rows);
  });
  return words;
}

Words<std::int32_t> read_words(const AnyTypeMatrix& vector, int count) {
  const bool of_channels = vector.transposed && vector.cols_per_channel == 0 && !vector.is_constant;
  if (!of_channels) return read_matrix<std::int32_t>(vector, 1, count);
  Words<std::int32_t> values(static_cast<std::size_t>(count));
  read_channels(vector, count, values.data());
  return values;
}

std::vector<std::int32_t> read_vector(const AnyTypeMatrix& vector, int count) {
  const Words<std::int32_t> words = read_words(vector, count);
  return {words.all().begin(), words.all().end()};
}

template <class Word>
Words<Word> read_matrix(const AnyTypeMatrix& matrix, int rows, int cols) {
  Words<Word> words(static_cast<std::size_t>(rows) * cols);
  if (matrix.is_constant) {
    std::fill_n(words.data(), words.size(), word_of<Word>(matrix.bits, matrix.type));
  } else if (matrix.transposed) {
    read_stored(matrix, cols, rows, words.data());
    return transposed(words, cols, rows);
  } else {
    read_stored(matrix, rows, cols, words.data());
  }
  return words;
}

template Words<float> transposed(const Words<float>&, int, int);
template Words<std::int32_t> transposed(const Words<std::int32_t>&, int, int);
template Words<float> read_matrix(const AnyTypeMatrix&, int, int);
template Words<std::int32_t> read_matrix(const AnyTypeMatrix&, int, int);

AnyTypeMatmulArgs exchanged(const AnyTypeMatmulArgs& args) {
  AnyTypeMatmulArgs result = args;
  std::swap(result.left, result.right);
  std::swap(result.rows, result.cols);
  for (AnyTypeMatrix* matrix : {&result.left, &result.right, &result.output}) {
    matrix->transposed = !matrix->transposed;
  }
  return result;
}

ProductFrame matrix_frame(const AnyTypeMatmulArgs& args, const LocalView& right, int channels) {
  return {.input = right,
          .channels = channels,
          .w = args.cols,
          .rows = args.rows,
          .window = {.output_h = 1, .output_w = args.cols},
          .output_pitch = args.cols};
}

}  // namespace tensorlane
