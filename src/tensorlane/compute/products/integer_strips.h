// Products of matrices of integers with many rows: the right matrix in strips of columns, as
// strip_product.h has those of floats.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_INTEGER_STRIPS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_INTEGER_STRIPS_H_

#include "tensorlane/compute/products/dense_product.h"

namespace tensorlane {

// Of one whose frame is a matrix's (is_matrix_product) and whose input is read, in tiles that
// multiply one step at a time.
void strip_product(const IntegerProduct& product, const IntegerSink& sink);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_INTEGER_STRIPS_H_
