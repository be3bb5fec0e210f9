#include "tensorlane/compute/products/integer_store.h"

#include <algorithm>
#include <cstdlib>

#include "tensorlane/compute/element_io.h"
#include "tensorlane/compute/products/integer_store_rows.h"

namespace tensorlane {
namespace {

constexpr int kMostShift = 31;

// Only the low bits of the sums show.
bool wraps(const IntegerFinish& finish) {
  return !finish.saturate && !finish.relu && finish.shift >= 0;
}

template <class T>
std::int64_t largest(std::span<const T> values) {
  std::int64_t result = 0;
  for (const T value : values) result = std::max(result, std::abs(std::int64_t{value}));
  return result;
}

bool are_within(std::span<const std::int32_t> shifts, int least, int most) {
  return std::ranges::all_of(shifts, [=](int shift) { return shift >= least && shift <= most; });
}

}  // namespace

bool exact_in_words(const IntegerFinish& finish, std::int64_t steps, Dtype left, Dtype right) {
  if (wraps(finish)) return true;
  if (dtype_bytes(left) > 1 || dtype_bytes(right) > 1) return false;
  constexpr std::int64_t kMostProduct = 255 * 383;  // 383: an unsigned number less a signed one
  return steps < kMostExactSum / kMostProduct;
}

IntegerStore::IntegerStore(const IntegerFinish& finish, bool result_add,
                           std::span<const std::int64_t> row_terms,
                           std::span<const std::int32_t> column_terms,
                           std::span<const std::int32_t> column_shifts, std::int64_t most,
                           const IntegerCorrection& correction)
    : finish_(finish),
      result_add_(result_add),
      row_terms_(row_terms),
      column_terms_(column_terms),
      column_shifts_(column_shifts),
      correction_(correction),
      in_vectors_(fits_words(most)) {}

bool IntegerStore::fits_words(std::int64_t most) const {
  const bool is_word = dtype_bytes(finish_.output) == 4;
  if (wraps(finish_) && column_shifts_.empty()) {
    return is_word && finish_.left_shift < 32 && finish_.shift <= kMostShift;
  }
  // To the left only where the bits that leave a word do not show.
  const bool may_wrap = !finish_.saturate && !finish_.relu;
  const std::int64_t largest_sum = most + largest(row_terms_) + largest(column_terms_);
  return !result_add_ && (finish_.saturate || is_word) && finish_.shift <= 0 &&
         finish_.shift >= -kMostShift &&
         are_within(column_shifts_, -kMostShift, may_wrap ? kMostShift : 0) &&
         std::abs(finish_.multiplier) <= INT32_MAX / std::max<std::int64_t>(largest_sum, 1);
}

void IntegerStore::store(const Tile& tile) const {
  if (!in_vectors_) return store_one_by_one(tile);
  const IntegerRange range =
      finish_.saturate ? integer_range(finish_.output) : IntegerRange{INT32_MIN, INT32_MAX};
  const auto first_row = static_cast<std::size_t>(tile.first_row);
  const auto first_column = static_cast<std::size_t>(tile.first_column);
  store_integer_rows(
      {.sums = tile.sums,
       .stride = tile.stride,
       .rows = tile.rows,
       .count = tile.columns,
       .row_terms = row_terms_.empty() ? nullptr : &row_terms_[first_row],
       .corrections = correction_.rows.empty() ? nullptr : &correction_.rows[first_row],
       .row_factors =
           correction_.row_factors.empty() ? nullptr : &correction_.row_factors[first_row],
       .factors = correction_.row_factors.empty() ? nullptr : tile.column_factors,
       .terms = column_terms_.empty() ? nullptr : &column_terms_[first_column],
       .shifts = column_shifts_.empty() ? nullptr : &column_shifts_[first_column],
       .multiplier = static_cast<std::int32_t>(finish_.multiplier),
       .shift = finish_.shift,
       .rounding = finish_.rounding,
       .low = static_cast<std::int32_t>(finish_.relu ? 0 : range.min),
       .high = static_cast<std::int32_t>(std::min<std::int64_t>(range.max, INT32_MAX)),
       .result_add = result_add_,
       .left_shift = finish_.left_shift,
       .to = tile.to,
       .parts = tile.parts,
       .to_next_part = tile.to_next_part},
      finish_.output);
}

void IntegerStore::store_one_by_one(const Tile& tile) const {
  const int bytes = dtype_bytes(finish_.output);
  IntegerFinish each = finish_;
  for (int line = 0; line < tile.rows * tile.parts; ++line) {
    const int r = line % tile.rows, part = line / tile.rows, before = part * tile.columns;
    const std::int32_t* sums = tile.sums + std::ptrdiff_t{r} * tile.stride + before;
    std::byte* to = tile.to[r] + part * tile.to_next_part;
    const auto row = static_cast<std::size_t>(tile.first_row) + static_cast<std::size_t>(r);
    const std::int64_t term = row_terms_.empty() ? 0 : row_terms_[row];
    const auto correction =
        correction_.rows.empty() ? 0U : static_cast<std::uint32_t>(correction_.rows[row]);
    for (int i = 0; i < tile.columns; ++i, to += bytes) {
      const int number = tile.first_column + before + i;
      const auto column = static_cast<std::size_t>(number);
      std::uint32_t exact = static_cast<std::uint32_t>(sums[i]) + correction;
      if (!correction_.row_factors.empty()) {
        exact += static_cast<std::uint32_t>(correction_.row_factors[row]) *
                 static_cast<std::uint32_t>(tile.column_factors[before + i]);
      }
      std::int64_t sum = static_cast<std::int32_t>(exact) + term;
      if (!column_terms_.empty()) sum += column_terms_[column];
      if (result_add_) sum += load_integer(to, finish_.output) << finish_.left_shift;
      if (!column_shifts_.empty()) each.shift = column_shifts_[column];
      store_integer(to, finish_.output, each.apply(sum));
    }
  }
}

}  // namespace tensorlane
