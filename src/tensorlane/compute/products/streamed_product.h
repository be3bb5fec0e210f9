// Matrix products of few rows: the right matrix is read once, where it is stored, some of its rows
// at a time, and the sums of all columns grow with every group of steps. Laying it out first, as
// larger products do, would take longer than the products.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_STREAMED_PRODUCT_H_
#define TENSORLANE_COMPUTE_PRODUCTS_STREAMED_PRODUCT_H_

#include "tensorlane/compute/products/dense_product.h"

namespace tensorlane {

// From more rows on packing the right matrix pays.
inline constexpr int kMostStreamedRows = 16;

// Whether a product is one of matrices; whether it is of this kind.
bool is_matrix_product(const ProductFrame& frame);
bool is_streamed(const ProductFrame& frame);

void stream_product(const IntegerProduct& product, const IntegerSink& sink);
// Of the rule kBlockSums.
void stream_product(const FloatProduct& product, const FloatSink& sink);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_STREAMED_PRODUCT_H_
