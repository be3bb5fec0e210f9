// The loops of integer_store.h that vectors take: sums in 32 bits, multiplied, shifted right with
// rounding and kept in a range, or 32 bits that wrap.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_INTEGER_STORE_ROWS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_INTEGER_STORE_ROWS_H_

#include <cstddef>
#include <cstdint>

#include "tensorlane/tensor/dtype.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane {

struct IntegerStoreRows {
  const std::int32_t* sums = nullptr;
  int stride = 0;  // from one row of sums to the next
  int rows = 0;
  int count = 0;                            // of each row
  const std::int64_t* row_terms = nullptr;  // [rows], added; may be null
  // Added too, each may be null: [rows], [rows] times [count], [count].
  const std::int32_t* corrections = nullptr;
  const std::int32_t* row_factors = nullptr;
  const std::int32_t* factors = nullptr;
  const std::int32_t* terms = nullptr;
  const std::int32_t* shifts = nullptr;  // [count], in place of `shift`; may be null
  std::int32_t multiplier = 1;
  int shift = 0;  // -31 .. 31; negative is to the right
  RoundingMode rounding = RoundingMode::kHalfUp;
  std::int32_t low = 0;  // results are kept in [low, high]
  std::int32_t high = 0;
  bool result_add = false;         // 32 bits only: old result << left_shift is added
  int left_shift = 0;              // 0 .. 31
  std::byte* const* to = nullptr;  // [rows]
  // The same again for the columns after these, each time so many bytes on.
  int parts = 1;
  std::ptrdiff_t to_next_part = 0;
};

// No sum leaves 32 bits with its terms and the multiplier, but where the output has 32 that wrap.
void store_integer_rows(const IntegerStoreRows& rows, Dtype output);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_INTEGER_STORE_ROWS_H_
