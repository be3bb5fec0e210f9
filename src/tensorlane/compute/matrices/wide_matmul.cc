// Fast matrix product of integers whose sums leave 32 bits: blocks of columns, wide_tile.h.
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/tasks.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/matrices/any_type_matmul.h"
#include "tensorlane/compute/matrices/matrix_words.h"
#include "tensorlane/compute/matrices/wide_results.h"
#include "tensorlane/compute/products/dense_words.h"
#include "tensorlane/compute/tiles/wide_tile.h"

namespace tensorlane {
namespace {

// Of a block of the right operand: it stays in the first-level cache.
constexpr int kBlockBytes = 32 * 1024;

// False where a factor of 32 bits has a sign and the other one of 32 bits has none.
bool choose_factors(Dtype left, Dtype right, WideFactors& factors) {
  if (std::max(dtype_bytes(left), dtype_bytes(right)) < 4) {
    factors = WideFactors::kFp64;
  } else if (left != Dtype::kUint32 && right != Dtype::kUint32) {
    factors = WideFactors::kSigned;
  } else {
    factors = WideFactors::kUnsigned;
    return !dtype_info(left).is_signed && !dtype_info(right).is_signed;
  }
  return true;
}

// `count` stored elements, one behind the other, as words: fp64 numbers, or integers of 32 or 64
// bits.
void read_wide(const std::byte* from, Dtype dtype, int count, WideFactors, std::int32_t* to) {
  if (dtype_bytes(dtype) < 4) return widen(from, 1, dtype, count, to);
  std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof *to);
}
void read_wide(const std::byte* from, Dtype dtype, int count, WideFactors factors,
               std::uint64_t* to) {
  constexpr int kPart = 256;
  std::int32_t words[kPart];
  for (int i = 0; i < count; i += kPart) {
    const int part = std::min(kPart, count - i);
    read_wide(from + std::ptrdiff_t{i} * dtype_bytes(dtype), dtype, part, factors, words);
    make_wide_words(words, part, factors, to + i);
  }
}

// Columns [first, first + count) of a row as it is stored.
template <class Word>
void read_stored(const AnyTypeMatrix& matrix, int row, int first, int count, WideFactors factors,
                 Word* to) {
  std::byte* const buffer = thread_scratch<1, std::byte>(static_cast<std::size_t>(count) * 4);
  read_wide(gathered(matrix, row, first, count, buffer), matrix.type, count, factors, to);
}

constexpr int kRowsTogether = 64;  // whose brief parts are gathered together
bool has_brief_parts(const AnyTypeMatrix& matrix) {
  constexpr int kBrief = 64;
  return matrix.cols_per_channel > 0 && matrix.cols_per_channel * dtype_bytes(matrix.type) < kBrief;
}
// The elements of `count` rows as they are stored, one row behind the other.
void gather_rows(const AnyTypeMatrix& matrix, int first, int count, int cols, std::byte* buffer) {
  const int element = dtype_bytes(matrix.type);
  for_each_part_of_rows(
      matrix, first, count, 0, cols, [&](int row, int column, int part, const std::byte* from) {
        std::byte* const to = buffer + (std::ptrdiff_t{row - first} * cols + column) * element;
        const int bytes = part * element;
        if (bytes == 4) {
          std::memcpy(to, from, 4);
        } else {
          std::memcpy(to, from, static_cast<std::size_t>(bytes));
        }
      });
}

// rows x cols words of a whole matrix.
template <class Word>
Words<Word> read_wide_matrix(const AnyTypeMatrix& matrix, int rows, int cols, WideFactors factors) {
  // Of a transposed one at a time: they fill a line of the cache.
  constexpr int kLines = 64 / sizeof(Word);
  Words<Word> words(static_cast<std::size_t>(rows) * cols);
  const std::int64_t work = layout_work(std::int64_t{rows} * cols);
  if (matrix.is_constant) {
    Word word = 0;
    read_wide(reinterpret_cast<const std::byte*>(&matrix.bits), matrix.type, 1, factors, &word);
    for_each_range(static_cast<std::int64_t>(words.size()), work,
                   [&](std::int64_t begin, std::int64_t end) {
                     std::fill(words.data() + begin, words.data() + end, word);
                   });
  } else if (matrix.transposed) {
    for_each_task((cols + kLines - 1) / kLines, work, [&](std::int64_t task) {
      const int first = static_cast<int>(task) * kLines;
      const int count = std::min(kLines, cols - first);
      auto* const lines = thread_scratch<2, Word>(static_cast<std::size_t>(rows) * kLines);
      for (int i = 0; i < count; ++i)
        read_stored(matrix, first + i, 0, rows, factors, lines + std::ptrdiff_t{i} * rows);
      for (int row = 0; row < rows; ++row) {
        for (int i = 0; i < count; ++i)
          words.data()[std::int64_t{row} * cols + first + i] =
              lines[std::ptrdiff_t{i} * rows + row];
      }
    });
  } else {
    const int together = has_brief_parts(matrix) ? kRowsTogether : 1;
    for_each_task((rows + together - 1) / together, work, [&](std::int64_t task) {
      const int row = static_cast<int>(task) * together, count = std::min(together, rows - row);
      Word* const to = words.data() + std::int64_t{row} * cols;
      if (count == 1) return read_stored(matrix, row, 0, cols, factors, to);
      auto* const buffer = thread_scratch<1, std::byte>(std::size_t{4} * kRowsTogether *
                                                        static_cast<std::size_t>(cols));
      gather_rows(matrix, row, count, cols, buffer);
      read_wide(buffer, matrix.type, count * cols, factors, to);
    });
  }
  return words;
}

bool has_zero_points(const AnyTypeMatmulArgs& args) {
  return !args.zero_points.is_constant || args.zero_points.bits != 0;
}

bool is_dense(const AnyTypeMatrix& matrix) {
  return matrix.is_constant || has_dense_rows(matrix.view);
}

// Columns [first, first + count) of the right operand, `pitch` words from row to row: of the
// matrix, or from where it is stored.
template <class Word>
void copy_columns(const Words<Word>& matrix, const AnyTypeMatmulArgs& args, int first, int count,
                  int pitch, Word* to) {
  for (int k = 0; k < args.inner; ++k, to += pitch)
    std::copy_n(matrix.data() + std::int64_t{k} * args.cols + first, count, to);
}
template <class Word>
void read_columns(const AnyTypeMatmulArgs& args, WideFactors factors, int first, int count,
                  int pitch, Word* to) {
  if constexpr (sizeof(Word) == 4) {
    // Short parts of rows, NPU by NPU, the processor finds by itself.
    if (dtype_bytes(args.right.type) == 4 && args.right.cols_per_channel <= count) {
      for_each_part_of_rows(args.right, 0, args.inner, first, count,
                            [&](int k, int column, int part, const std::byte* from) {
                              copy_words(from, part,
                                         to + std::ptrdiff_t{k} * pitch + (column - first));
                            });
      return;
    }
  }
  const int next = first + count;
  for (int k = 0; k < args.inner; ++k, to += pitch) {
    read_stored(args.right, k, first, count, factors, to);
    if (next < args.cols) fetch_ahead(args.right, k, next, std::min(count, args.cols - next));
  }
}

const std::uint64_t*& right_of(WideTile& tile, std::uint64_t) {
  return tile.right;
}
const std::int32_t*& right_of(WideTile& tile, std::int32_t) {
  return tile.right_integers;
}

// Word: of the right operand.
template <class Word>
void multiply_wide(const AnyTypeMatmulArgs& args, WideFactors factors) {
  const auto left = read_wide_matrix<std::uint64_t>(args.left, args.rows, args.inner, factors);
  Words<Word> right;  // of one that is not read where it is stored
  if (args.right.is_constant || args.right.transposed)
    right = read_wide_matrix<Word>(args.right, args.inner, args.cols, factors);
  const WideResults results(args, wide_group(factors));
  const int fitting = kBlockBytes / static_cast<int>(sizeof(Word)) / args.inner / kWideColumns;
  const int most = std::clamp(fitting * kWideColumns, kWideColumns, kMostWideColumns);
  const std::int64_t blocks = (args.cols + most - 1) / most;
  for_each_task(blocks, std::int64_t{args.rows} * args.inner * args.cols, [&](std::int64_t block) {
    const int first = static_cast<int>(block) * most;
    const int count = std::min(most, args.cols - first);
    const int columns = (count + kWideColumns - 1) / kWideColumns * kWideColumns;
    Word* const words = thread_scratch<0, Word>(static_cast<std::size_t>(args.inner) * columns);
    if (right.size() > 0) {
      copy_columns(right, args, first, count, columns, words);
    } else {
      read_columns(args, factors, first, count, columns, words);
    }
    for (int k = 0; k < args.inner && count < columns; ++k)
      std::fill_n(words + std::ptrdiff_t{k} * columns + count, columns - count, 0);
    alignas(64) std::int64_t sums[kWideRows * kMostWideColumns];
    for (int row = 0; row < args.rows; row += kWideRows) {
      const int rows = std::min(kWideRows, args.rows - row);
      WideTile tile{.factors = factors,
                    .rows = rows,
                    .inner = args.inner,
                    .columns = columns,
                    .left = left.data() + std::int64_t{row} * args.inner,
                    .sums = sums};
      right_of(tile, Word{}) = words;
      run_wide_tile(tile);
      results.store(row, rows, first, count, columns, sums);
    }
  });
}

}  // namespace

bool wide_matmul_simd(const AnyTypeMatmulArgs& original) {
  const AnyTypeMatmulArgs args = original.output.transposed ? exchanged(original) : original;
  WideFactors factors{};
  if (has_zero_points(args) || !is_dense(args.left) || !is_dense(args.right) ||
      !choose_factors(args.left.type, args.right.type, factors))
    return false;
  if (factors == WideFactors::kFp64) {
    multiply_wide<std::uint64_t>(args, factors);
  } else {
    multiply_wide<std::int32_t>(args, factors);
  }
  return true;
}

}  // namespace tensorlane
