// Arrays of 16-bit floats to fp32 and back, as the chip's casts to nearest even convert them: NaNs
// and denormals included, the bits of convert_elements() (tensor/convert.h), whose general way
// costs several times as much.
#ifndef TENSORLANE_COMPUTE_ROWS_HALF_ARRAYS_H_
#define TENSORLANE_COMPUTE_ROWS_HALF_ARRAYS_H_

#include <cstddef>

#include "tensorlane/compute/rows/elementwise.h"

namespace tensorlane {

// `dtype` is fp16 or bf16. Elements need not be aligned.
void widen_halves(Dtype dtype, const std::byte* from, std::size_t count, float* to);
void narrow_to_halves(Dtype dtype, const float* from, std::size_t count, std::byte* to);

// The same for rows from src[0] to dst, elements of each side by side.
void widen_half_rows(Dtype dtype, const Row& rows);
void narrow_to_half_rows(Dtype dtype, const Row& rows);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_HALF_ARRAYS_H_
