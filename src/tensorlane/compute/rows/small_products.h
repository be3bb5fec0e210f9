// Products of two vectors of 32-bit integers whose numbers are so small that none saturates: then
// the low bits of the products are the results. Looking at both vectors costs little beside all
// their pairs; shorter elements cost less than that.
#ifndef TENSORLANE_COMPUTE_ROWS_SMALL_PRODUCTS_H_
#define TENSORLANE_COMPUTE_ROWS_SMALL_PRODUCTS_H_

#include "tensorlane/compute/rows/elementwise.h"

namespace tensorlane {

// Whether no product of an element of source 0 and one of source 1 of a frame leaves `dtype`, which
// is kInt32 or kUint32. False as well for other types, and where a frame has few products for what
// is looked at or short rows.
bool products_stay(const Row& frame, Dtype dtype);

// `saturated`, or where products stay `wrapping`, for elements of one type.
RowFunction small_products_row(RowFunction saturated, RowFunction wrapping, Dtype dtype);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_SMALL_PRODUCTS_H_
