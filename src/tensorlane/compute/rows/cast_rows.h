// Casts between fp32 and the other element types in vectors, from memory to memory: what kernels
// convert most. The bits are those of convert_elements() (tensor/convert.h) with the same options.
#ifndef TENSORLANE_COMPUTE_ROWS_CAST_ROWS_H_
#define TENSORLANE_COMPUTE_ROWS_CAST_ROWS_H_

#include "tensorlane/compute/rows/elementwise.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {

// The function for vector_rows(bytes of dst, bytes of src); null where there is none:
//
//   fp32 -> int8 to uint32   any mode
//   fp32 -> fp16, bf16       half to even
//   fp16, bf16 -> fp32
//   int8 to uint16 -> fp32
//   int32, uint32 -> fp32    half to even
//
// Options other than those of tpu_cast_options() have none.
SimdRow cast_row(Dtype dst, Dtype src, const ConvertOptions& options);

// The exponents of fp32, fp16 or bf16 as integers of `bytes` bytes, -127 of 0.
SimdRow exponent_row(Dtype src, std::int64_t bytes);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_CAST_ROWS_H_
