// Products of matrices of floats, those of fp16 and bf16 of many rows: the right matrix in strips
// of columns.
//
// A strip is a task. It is read where it is stored straight into panels, one for each tile of
// columns with the columns of a step side by side, and every block of rows goes over them while
// they are in the second-level cache. No strip is read twice, whatever the number of threads.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_STRIP_PRODUCT_H_
#define TENSORLANE_COMPUTE_PRODUCTS_STRIP_PRODUCT_H_

#include "tensorlane/compute/products/dense_product.h"

namespace tensorlane {

// Of one whose frame is a matrix's (is_matrix_product) and whose input is read.
// False where the left matrix is too large, and nothing is called then.
bool strip_product(const FloatProduct& product, const FloatSink& sink);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_STRIP_PRODUCT_H_
