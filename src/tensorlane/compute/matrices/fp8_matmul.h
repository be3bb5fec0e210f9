// Matrix products of 8-bit floats.
//
// Every number of both types is one of fp16, so a product is that of two fp16 matrices, by the rule
// of those (product_rules.h). The factors may differ in type; the output is fp32, fp16 or bf16.
#ifndef TENSORLANE_COMPUTE_MATRICES_FP8_MATMUL_H_
#define TENSORLANE_COMPUTE_MATRICES_FP8_MATMUL_H_

#include "tensorlane/compute/matrices/any_type_matmul.h"

namespace tensorlane {

// Element by element, then any_type_matmul_reference().
void fp8_matmul_reference(const AnyTypeMatmulArgs& args);
// The same bits by vectors. False as any_type_matmul_simd() says it; nothing is written then.
bool fp8_matmul_simd(const AnyTypeMatmulArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_MATRICES_FP8_MATMUL_H_
