// What becomes of integer sums of up to 64 bits in a matrix product: IntegerFinish
// (product_rules.h), the shift from a vector, and the way to the output.
#ifndef TENSORLANE_COMPUTE_MATRICES_WIDE_RESULTS_H_
#define TENSORLANE_COMPUTE_MATRICES_WIDE_RESULTS_H_

#include <cstdint>
#include <vector>

#include "tensorlane/compute/matrices/any_type_matmul.h"

namespace tensorlane {

// Most columns of a row that are stored at once.
inline constexpr int kMostWideColumns = 512;

class WideResults {
 public:
  // `group`: of the sums, see wide_group (wide_tile.h).
  explicit WideResults(const AnyTypeMatmulArgs& args, int group = 1);

  // `columns` of the sums of `rows` rows, at most kWideRows, from row `row` and column `first` on,
  // two multiples of kWideColumns; `count` of the columns are the matrix's.
  void store(int row, int rows, int first, int count, int columns, const std::int64_t* sums) const;

 private:
  // From column `column` on, of the sums of row `row`, which begin at column `first`.
  void store_one_by_one(int row, int column, int count, int first, const std::int64_t* sums,
                        std::byte* to) const;

  const AnyTypeMatmulArgs& args_;
  const int group_;
  const std::vector<std::int64_t> shifts_;  // of the columns, in groups as the sums
  const bool left_, only_shifts_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MATRICES_WIDE_RESULTS_H_
