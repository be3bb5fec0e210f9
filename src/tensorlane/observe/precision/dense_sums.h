// Sums of products of dense matrices of double precision, on all cores.
#ifndef TENSORLANE_OBSERVE_PRECISION_DENSE_SUMS_H_
#define TENSORLANE_OBSERVE_PRECISION_DENSE_SUMS_H_

#include <cstdint>

namespace tensorlane::precision {

// sums[row][column] += left[row][step] * right[step][column], step after step: every product and
// every sum is rounded, whatever the processor and the number of threads.
struct DenseSums {
  const double* left = nullptr;   // steps from row to row
  const double* right = nullptr;  // columns from step to step
  double* sums = nullptr;         // columns from row to row
  std::int64_t rows = 0, steps = 0, columns = 0;
};
void add_products(const DenseSums& dense);

}  // namespace tensorlane::precision

#endif  // TENSORLANE_OBSERVE_PRECISION_DENSE_SUMS_H_
