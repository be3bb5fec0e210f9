// Sums of products of dense matrices of double precision, on all cores.
#ifndef TENSORLANE_OBSERVE_PRECISION_DENSE_SUMS_H_
#define TENSORLANE_OBSERVE_PRECISION_DENSE_SUMS_H_

#include <cstdint>

namespace tensorlane::precision {

// Columns of the right matrix that stand together, step after step: whoever walks down some columns
// meets memory in its order.
inline constexpr std::int64_t kPanelColumns = 16;

// sums[row][column] += left[row][step] * right[step][column], step after step: every product and
// every sum is rounded, whatever the processor and the number of threads.
struct DenseSums {
  const double* left = nullptr;  // steps from row to row
  const double* right = nullptr;
  double* sums = nullptr;  // columns from row to row
  std::int64_t rows = 0, steps = 0, columns = 0;

  // How many columns stand together with this one: fewer at the right end.
  std::int64_t panel_width(std::int64_t column) const {
    const std::int64_t left_over = columns - column / kPanelColumns * kPanelColumns;
    return left_over < kPanelColumns ? left_over : kPanelColumns;
  }
  // Where a factor stands in `right`.
  std::int64_t right_place(std::int64_t step, std::int64_t column) const {
    return column / kPanelColumns * kPanelColumns * steps + step * panel_width(column) +
           column % kPanelColumns;
  }
};
void add_products(const DenseSums& dense);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_DENSE_SUMS_H_
