#include "tensorlane/compute/matrices/byte_panels.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

#include "tensorlane/base/error.h"
#include "tensorlane/compute/bands/scratch.h"
#include "tensorlane/compute/bands/view_forms.h"
#include "tensorlane/compute/matrices/matrix_words.h"
#include "tensorlane/compute/products/byte_quads.h"

namespace tensorlane {
namespace {

constexpr int kWordBytes = 4;
constexpr int kRowsAtOnce = 4;
constexpr int kGroupBytes = 64;  // of tiles that multiply several steps at once
// From one step to the next: not a power of two, so that they do not compete for the same lines of
// a cache.
constexpr int kSlack = 16;

int round_up_to(int count, int multiple) {
  return (count + multiple - 1) / multiple * multiple;
}

// The word of a constant.
std::int32_t repeated(const AnyTypeMatrix& constant, std::uint32_t flip) {
  return static_cast<std::int32_t>(((constant.bits & 0xFFU) * 0x01010101U) ^ flip);
}

// The words of kBytes of a row, with the bits of `flip` turned over in the first `count` of them;
// the others are zeros.
template <int kBytes>
void copy_words(const std::byte* from, int count, std::uint32_t flip, std::int32_t* to) {
  std::array<std::uint32_t, kBytes / kWordBytes> words{};
  std::memcpy(words.data(), from, static_cast<std::size_t>(count));
  if (flip != 0) {
    std::array<std::uint32_t, kBytes / kWordBytes> flips{};
    std::memset(flips.data(), static_cast<int>(flip & 0xFFU), static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < words.size(); ++i) words[i] ^= flips[i];
  }
  std::memcpy(to, words.data(), kBytes);
}

// A row of `bytes` bytes; groups of steps take kBytes of it, and are `group` words apart.
template <int kBytes>
void pack_row(const std::byte* from, int bytes, std::uint32_t flip, std::int32_t* to,
              std::ptrdiff_t group) {
  int k = 0;
  for (; k + kBytes <= bytes; k += kBytes, to += group)
    copy_words<kBytes>(from + k, kBytes, flip, to);
  if (k < bytes) copy_words<kBytes>(from + k, bytes - k, flip, to);
}

}  // namespace

bool are_plain_bytes(const AnyTypeMatrix& matrix) {
  return dtype_bytes(matrix.type) == 1 && (matrix.is_constant || has_dense_rows(matrix.view));
}

void zip_stored_rows(const AnyTypeMatrix& matrix, int first, int rows, int first_column, int cols,
                     std::uint32_t flip, std::int32_t* to) {
  for_each_part(matrix, first, first_column, cols, [&](int column, int part, const std::byte*) {
    std::array<const std::byte*, 4> from{};
    for (int i = 0; i < std::min(kWordBytes, rows - first); ++i)
      from[static_cast<std::size_t>(i)] = matrix.stored_address(first + i, column);
    zip_bytes(from, part, flip, to + (column - first_column));
  });
}

BytePanels::BytePanels(IntegerFactors factors, const TileShape& shape, int inner)
    : shape_(shape),
      inner_(inner),
      pairs_(factors == IntegerFactors::kPairs),
      words_((inner + kWordBytes - 1) / kWordBytes),
      word_steps_(round_up_to(words_, shape.step_group)),
      steps_(pairs_ ? 2 * word_steps_ : word_steps_) {
  TL_INTERNAL_CHECK(shape.step_group == 1 ||
                    (!pairs_ && shape.step_group * kWordBytes == kGroupBytes));
}

int BytePanels::pitch(int columns) const {
  return round_up_to(columns, shape_.width) + kSlack;
}

// A last block of tiles with groups is filled up to whole registers.
std::size_t BytePanels::left_words(int rows) const {
  return static_cast<std::size_t>(round_up_to(rows, shape_.step_group == 1 ? 1 : shape_.lanes)) *
         steps_;
}

std::size_t BytePanels::right_words(int columns) const {
  return static_cast<std::size_t>(pitch(columns)) * steps_;
}

void BytePanels::pack_left(const AnyTypeMatrix& left, int first, int count, std::uint32_t flip,
                           std::int32_t* panel, int* order) const {
  if (!pairs_) return pack_left_words(left, first, count, flip, panel, order);
  auto* const words =
      thread_scratch<5, std::int32_t>(static_cast<std::size_t>(count) * word_steps_);
  pack_left_words(left, first, count, 0, words, order);
  const bool with_sign = dtype_info(left.type).is_signed;
  for (int row = 0; row < count; row += shape_.rows) {
    split_quads(words + std::ptrdiff_t{row} * word_steps_, std::min(shape_.rows, count - row),
                word_steps_, with_sign, block(panel, row), std::min(shape_.rows, count - row));
  }
}

void BytePanels::pack_left_words(const AnyTypeMatrix& left, int first, int count,
                                 std::uint32_t flip, std::int32_t* panel, int* order) const {
  const bool fills = shape_.step_group > 1;
  if (left.is_constant && !fills && inner_ % kWordBytes == 0) {  // whole words, all the same
    std::fill_n(panel, static_cast<std::size_t>(count) * word_steps_, repeated(left, flip));
    std::iota(order, order + count, first);
    return;
  }
  if (left.transposed && !left.is_constant && !fills) {
    std::iota(order, order + count, first);
    return pack_stored_columns(left, first, count, flip, panel);
  }
  const auto pack_one = fills ? pack_row<kGroupBytes> : pack_row<kWordBytes>;
  std::array<const std::byte*, kRowsAtOnce> waiting{};
  int place = 0;
  int inside = 0;  // the block
  std::int32_t* block = panel;
  std::ptrdiff_t group = 0;  // words of the block's rows in one group of steps
  const auto pack = [&](int row, const std::byte* from, int bytes) {
    if (inside == shape_.rows) inside = 0;
    if (inside == 0) {
      block = panel + std::ptrdiff_t{place} * word_steps_;
      const int rows = std::min(shape_.rows, count - place);
      const int filled = fills ? round_up_to(rows, shape_.lanes) : rows;
      group = std::ptrdiff_t{filled} * shape_.step_group;
      if (filled > rows)
        std::memset(block, 0, static_cast<std::size_t>(filled) * word_steps_ * sizeof *block);
    }
    order[place++] = row;
    // Whole groups of rows together.
    const int at = inside++;
    const int in_group = at % kRowsAtOnce, first_in_group = at - in_group;
    const int left = std::min(shape_.rows - first_in_group, count - (place - 1 - in_group));
    if (fills || left < kRowsAtOnce)
      return pack_one(from, bytes, flip, block + std::ptrdiff_t{at} * shape_.step_group, group);
    waiting[static_cast<std::size_t>(in_group)] = from;
    if (in_group + 1 == kRowsAtOnce)
      interleave_four_rows(waiting, bytes, flip, block + first_in_group, group);
  };
  if (left.is_constant) {
    const std::vector<std::byte> row(static_cast<std::size_t>(inner_),
                                     static_cast<std::byte>(left.bits));
    for (int i = 0; i < count; ++i) pack(first + i, row.data(), inner_);
  } else if (left.transposed) {
    const auto size = static_cast<std::size_t>(words_) * count;
    std::int32_t* const zipped = thread_scratch<3, std::int32_t>(2 * size);
    std::int32_t* const rows = zipped + size;
    for (int k = 0; k < words_; ++k) {
      zip_stored_rows(left, k * kWordBytes, inner_, first, count, 0,
                      zipped + std::ptrdiff_t{k} * count);
    }
    transpose_words(zipped, count, words_, count, rows, words_);
    for (int i = 0; i < count; ++i) {
      pack(first + i, reinterpret_cast<const std::byte*>(rows + std::ptrdiff_t{i} * words_),
           inner_);
    }
  } else {
    for_each_channel_row(left, first, count, [&](int row, const std::byte* from) {
      __builtin_prefetch(from + left.view.npu_bytes);  // as many rows of the next NPU follow
      pack(row, from, inner_);
    });
  }
}

// Of a left matrix that is stored column by column: its zipped rows are the words of steps already.
void BytePanels::pack_stored_columns(const AnyTypeMatrix& left, int first, int count,
                                     std::uint32_t flip, std::int32_t* panel) const {
  std::int32_t* const zipped = thread_scratch<3, std::int32_t>(static_cast<std::size_t>(count));
  for (int k = 0; k < words_; ++k) {
    zip_stored_rows(left, k * kWordBytes, inner_, first, count, 0, zipped);
    const int bytes = std::min(kWordBytes, inner_ - k * kWordBytes);
    const auto turned =
        static_cast<std::int32_t>(flip & (UINT32_MAX >> (8 * (kWordBytes - bytes))));
    for (int i = 0; turned != 0 && i < count; ++i) zipped[i] ^= turned;
    for (int row = 0; row < count; row += shape_.rows) {
      const int rows = std::min(shape_.rows, count - row);
      std::copy_n(zipped + row, rows,
                  panel + std::ptrdiff_t{row} * word_steps_ + std::ptrdiff_t{k} * rows);
    }
  }
}

void BytePanels::pack_right(const AnyTypeMatrix& right, int first, int count, std::uint32_t flip,
                            std::int32_t* panel, std::int64_t to_next) const {
  if (!pairs_) return pack_right_words(right, first, count, flip, panel, to_next);
  const std::int64_t run = pitch(count);
  const bool with_sign = dtype_info(right.type).is_signed;
  const auto scratch = [run](int steps) {
    return thread_scratch<5, std::int32_t>(static_cast<std::size_t>(run) * steps);
  };
  if (right.transposed) {
    std::int32_t* const words = scratch(word_steps_);
    pack_right_words(right, first, count, flip, words, run);
    for (int k = 0; k < word_steps_; ++k)
      split_quads(words + k * run, count, 1, with_sign, panel + 2 * k * to_next, to_next);
    return;
  }
  // Step by step: the words stay in the first-level cache.
  std::int32_t* const words = scratch(1);
  if (right.is_constant) std::fill_n(words, run, repeated(right, flip));
  for (int k = 0; k < word_steps_; ++k) {
    if (!right.is_constant)
      zip_stored_rows(right, k * kWordBytes, inner_, first, count, flip, words);
    split_quads(words, count, 1, with_sign, panel + 2 * k * to_next, to_next);
  }
}

void BytePanels::pack_right_words(const AnyTypeMatrix& right, int first, int count,
                                  std::uint32_t flip, std::int32_t* panel,
                                  std::int64_t to_next) const {
  if (right.is_constant) {
    for (int k = 0; k < words_; ++k) std::fill_n(panel + k * to_next, count, repeated(right, flip));
  } else if (right.transposed) {
    pack_columns(right, first, count, flip, panel, to_next);
  } else {
    for (int k = 0; k < words_; ++k) {
      zip_stored_rows(right, k * kWordBytes, inner_, first, count, flip, panel + k * to_next);
    }
  }
  for (int k = words_; k < word_steps_; ++k) std::fill_n(panel + k * to_next, count, 0);
}

// Of a matrix that is stored column by column.
void BytePanels::pack_columns(const AnyTypeMatrix& right, int first, int count, std::uint32_t flip,
                              std::int32_t* panel, std::int64_t to_next) const {
  constexpr int kGroupWords = kGroupBytes / kWordBytes;
  const int column_words = round_up_to(words_, kGroupWords);
  std::int32_t* const columns =
      thread_scratch<3, std::int32_t>(static_cast<std::size_t>(column_words) * count);
  for_each_channel_row(right, first, count, [&](int column, const std::byte* from) {
    std::int32_t* const to = columns + std::ptrdiff_t{column - first} * column_words;
    pack_row<kGroupBytes>(from, inner_, 0, to, kGroupWords);
    for (int k = 0; k < column_words; ++k) to[k] ^= static_cast<std::int32_t>(flip);
  });
  transpose_words(columns, column_words, count, words_, panel, to_next);
}

}  // namespace tensorlane
