// Element-wise conversion between element types, by tensor/convert.h.
#ifndef TENSORLANE_COMPUTE_ROWS_CONVERTED_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_CONVERTED_ROWS_H_

#include <functional>
#include <string_view>

#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {

// How a call converts, by the types of its operands.
using ConversionOf = std::function<ConvertOptions(const Command&, Dtype dst, Dtype src)>;

// dst = src in the type of dst. Implementations "simd" and "reference".
std::vector<Implementation> conversion(std::string_view dst, std::string_view src,
                                       ConversionOf options);

// Rows of fp32 cut toward zero and saturated to int8 or uint8; a NaN gives the largest number of
// its sign.
RowFunction cut_to_bytes(Dtype dst);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_CONVERTED_ROWS_H_
