// SIMD rows on elements as they are stored, for functions whose type an argument decides.
//
// What only compares or combines bits works on the elements themselves, 16 or 32 to a vector and
// more; row_formulas.h is the list of what there is.
//
// Entries name a formula and get these in front of its rows and its reference (formula_rows.h).
#ifndef TENSORLANE_COMPUTE_ROWS_TYPED_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_TYPED_ROWS_H_

#include <span>
#include <utility>

#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/compute/rows/pair_loops.h"
#include "tensorlane/compute/rows/row_formulas.h"

namespace tensorlane {

// The formulas of row_formulas.h.
enum class TypedRow : std::uint8_t {
#define TL_ROW(name, ...) k##name,
  TL_ALL_FORMULAS(TL_ROW) TL_COMPLEMENTS(TL_ROW)
#undef TL_ROW
      kCount  // of them
};
constexpr int sources_of(TypedRow row) {
  constexpr std::pair<TypedRow, int> kSources[] = {
#define TL_ROW(name, sources, ...) {TypedRow::k##name, sources},
      TL_ALL_FORMULAS(TL_ROW) TL_COMPLEMENTS(TL_ROW)
#undef TL_ROW
  };
  for (const auto& [formula, sources] : kSources) {
    if (formula == row) return sources;
  }
  return 0;
}

// The loops of a formula of pairs of vectors, floats or integers. What has none is no row of those.
constexpr simd::PairLoops pair_loops(TypedRow row, bool of_floats) {
  using simd::PairLoops;
  switch (row) {
    case TypedRow::kAnd:
    case TypedRow::kOr:
    case TypedRow::kXor:
    case TypedRow::kEqual:
    case TypedRow::kNotEqual:
      return PairLoops::kSymmetric;
    case TypedRow::kAdd:
    case TypedRow::kMultiply:
    case TypedRow::kMaximum:
    case TypedRow::kMinimum:
      return of_floats ? PairLoops::kEither : PairLoops::kSymmetric;
    case TypedRow::kSubtract:
    case TypedRow::kGreater:
    case TypedRow::kGreaterEqual:
    case TypedRow::kLess:
    case TypedRow::kLessEqual:
      return PairLoops::kEither;
    default:
      return PairLoops::kNone;
  }
}

// The row function for operands of type `dtype`; null where there is none. The arithmetic is that
// of floats alone.
SimdRow typed_row(TypedRow row, Dtype dtype);

// Whether short rows of all pairs of two vectors are computed where they lie as fast as in a
// buffer, by the loops of these rows (pair_loops_inl.h).
bool turns_pairs(std::int64_t rows, std::int64_t row_bytes);

// The vector form in front of `rest`, for calls whose operands all have the type that `dtype_param`
// holds, or bits of its width, and whose rows are those of vectors.
std::vector<Implementation> typed_simd(TypedRow row, std::string_view dst,
                                       std::vector<std::string_view> sources,
                                       std::string_view dtype_param,
                                       std::vector<Implementation> rest);
// The same where the call decides which row.
std::vector<Implementation> typed_simd(std::function<TypedRow(const Command&)> row,
                                       std::string_view dst, std::vector<std::string_view> sources,
                                       std::string_view dtype_param,
                                       std::vector<Implementation> rest);

// The row function of one type, for `elementwise`.
template <TypedRow kRow, Dtype kDtype>
void row_of_type(const Row& row) {
  typed_row(kRow, kDtype)(row);
}
template <TypedRow kRow>
constexpr SimdRow fp32_row = row_of_type<kRow, Dtype::kFp32>;

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_TYPED_ROWS_H_
