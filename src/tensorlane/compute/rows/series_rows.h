// Vector rows of the fp32 functions that sum a Taylor series, whose length is a source: several
// vectors at once, since every term waits for the one before. What computes on each element alone
// is a formula of row_formulas.h.
#ifndef TENSORLANE_COMPUTE_ROWS_SERIES_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_SERIES_ROWS_H_

#include "tensorlane/compute/rows/elementwise.h"

// name, what it computes from its sources
#define TL_SERIES_ROWS(X)                             \
  X(taylor)              /* x, series: e^x */         \
  X(exp_tail)            /* x, series */              \
  X(sigmoid_denominator) /* x, series: 1 + exp(-x) */ \
  X(tanh_ratio)          /* x, series: R / (E + R) */

namespace tensorlane::simd {

#define TL_DECLARE_ROW(name) void name(const Row& row);
TL_SERIES_ROWS(TL_DECLARE_ROW)
#undef TL_DECLARE_ROW

}  // namespace tensorlane::simd

#endif  // TENSORLANE_COMPUTE_ROWS_SERIES_ROWS_H_
