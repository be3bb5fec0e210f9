// How exact integer sums become elements of a command's output: terms are added, then
// IntegerFinish (product_rules.h).
#ifndef TENSORLANE_COMPUTE_PRODUCTS_INTEGER_STORE_H_
#define TENSORLANE_COMPUTE_PRODUCTS_INTEGER_STORE_H_

#include <cstddef>
#include <cstdint>
#include <span>

#include "tensorlane/compute/tiles/product_rules.h"

namespace tensorlane {

// The largest sum of which `exact_in_words` says that it is exact.
inline constexpr std::int64_t kMostExactSum = std::int64_t{1} << 30;

// Whether integer sums of `steps` products are exact where `finish` needs them to be, when they
// wrap at 32 bits.
bool exact_in_words(const IntegerFinish& finish, std::int64_t steps, Dtype left, Dtype right);

// What sums of products lack, in 32 bits that wrap, where operands have zero points or were moved
// to another range: that of row r and column c is larger by
// rows[r] + row_factors[r] * Tile::column_factors[c]. Empty: nothing.
struct IntegerCorrection {
  std::span<const std::int32_t> rows;
  std::span<const std::int32_t> row_factors;
};

class IntegerStore {
 public:
  // A term per row of outputs (none: zero) and per column, and a shift per column in place of the
  // one of `finish`. The operands stay alive as long as this does. No sum is beyond `most`, but
  // where results wrap.
  IntegerStore(const IntegerFinish& finish, bool result_add,
               std::span<const std::int64_t> row_terms,
               std::span<const std::int32_t> column_terms = {},
               std::span<const std::int32_t> column_shifts = {}, std::int64_t most = kMostExactSum,
               const IntegerCorrection& correction = {});

  // A tile of sums, `stride` apart from row to row: rows [first_row, first_row + rows), columns
  // [first_column, first_column + columns). Row r goes to to[r], element behind element.
  struct Tile {
    const std::int32_t* sums = nullptr;
    int stride = 0;
    int first_row = 0;
    int rows = 0;
    int first_column = 0;
    int columns = 0;
    std::byte* const* to = nullptr;
    const std::int32_t* column_factors = nullptr;  // [columns], where there are row factors
    // More columns in as many parts as this, each so many bytes behind the one before.
    int parts = 1;
    std::ptrdiff_t to_next_part = 0;
  };
  void store(const Tile& tile) const;

 private:
  void store_one_by_one(const Tile& tile) const;
  bool fits_words(std::int64_t most) const;

  const IntegerFinish& finish_;
  const bool result_add_;
  const std::span<const std::int64_t> row_terms_;
  const std::span<const std::int32_t> column_terms_;
  const std::span<const std::int32_t> column_shifts_;
  const IntegerCorrection correction_;
  const bool in_vectors_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_INTEGER_STORE_H_
