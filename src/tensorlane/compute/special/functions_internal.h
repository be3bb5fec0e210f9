// The implementations behind functions.h, one for every function and type.
#ifndef TENSORLANE_COMPUTE_SPECIAL_FUNCTIONS_INTERNAL_H_
#define TENSORLANE_COMPUTE_SPECIAL_FUNCTIONS_INTERNAL_H_

#include <type_traits>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/special/formats.h"
#include "tensorlane/compute/special/functions.h"

// X(name, format) for every function and the formats of formats.h it comes in. (clang-format would
// indent the list further at every run.)
// clang-format off
#define TL_SPECIAL_INSTANCES(X)                                                             \
  X(exp, Fp32) X(exp, Fp16) X(exp, Bf16)                                                    \
  X(expm1, Fp32) X(expm1, Fp16) X(expm1, Bf16)                                              \
  X(log, Fp32) X(log, Fp16) X(log, Bf16)                                                    \
  X(sin, Fp32) X(sin, Fp16) X(sin, Bf16)                                                    \
  X(cos, Fp32) X(cos, Fp16) X(cos, Bf16)                                                    \
  X(hsigmoid, Fp32) X(hsigmoid, Fp16) X(hsigmoid, Bf16)                                     \
  X(hswish, Fp32) X(hswish, Fp16) X(hswish, Bf16)                                           \
  X(hswish_in_place, Fp32) X(hswish_in_place, Fp16) X(hswish_in_place, Bf16)                \
  X(elu, Fp32) X(elu, Fp16) X(elu, Bf16)                                                    \
  X(log_sigmoid, Fp32) X(log_sigmoid, Fp16) X(log_sigmoid, Bf16)                            \
  X(tan, Fp32) X(cot, Fp32) X(arcsin, Fp32) X(arccos, Fp32) X(sinh, Fp32) X(cosh, Fp32)     \
  X(tanh, Fp32) X(arcsinh, Fp32) X(arccosh, Fp32) X(arctanh, Fp32) X(log1p, Fp32)           \
  X(pow, Fp32) X(scaled_exp, Fp32) X(scaled_log, Fp32) X(sigmoid, Fp32) X(silu, Fp32)       \
  X(swish, Fp32) X(selu, Fp32) X(erf, Fp32) X(erfc, Fp32) X(gelu, Fp32)        \
  X(gelu_fast, Fp32) X(mish, Fp32) X(softplus, Fp32) X(softsign, Fp32) \
  X(softsign_in_place, Fp32) X(arcsin_in_place, Fp32)                                       \
  X(rsqrt, Fp32) X(sqrt, Fp32) X(reciprocal, Fp32) X(div, Fp32) \
  X(rsqrt, Fp16Steps) X(sqrt, Fp16Steps) X(reciprocal, Fp16Steps) X(div, Fp16Steps) \
  X(exp, Fp32Tables) X(expm1, Fp32Tables) X(log, Fp32Tables) X(sin, Fp32Tables) \
  X(cos, Fp32Tables) X(hsigmoid, Fp32Tables) X(hswish, Fp32Tables) \
  X(hswish_in_place, Fp32Tables) X(elu, Fp32Tables) X(log_sigmoid, Fp32Tables) \
  X(tan, Fp32Tables) X(cot, Fp32Tables) X(arcsin, Fp32Tables) X(arccos, Fp32Tables) \
  X(sinh, Fp32Tables) X(cosh, Fp32Tables) X(tanh, Fp32Tables) X(arcsinh, Fp32Tables) \
  X(arccosh, Fp32Tables) X(arctanh, Fp32Tables) X(log1p, Fp32Tables) X(pow, Fp32Tables) \
  X(scaled_exp, Fp32Tables) X(scaled_log, Fp32Tables) X(sigmoid, Fp32Tables) \
  X(silu, Fp32Tables) X(swish, Fp32Tables) X(selu, Fp32Tables) X(erf, Fp32Tables) \
  X(erfc, Fp32Tables) X(gelu, Fp32Tables) X(gelu_fast, Fp32Tables) X(mish, Fp32Tables) \
  X(softplus, Fp32Tables) X(softsign, Fp32Tables) X(softsign_in_place, Fp32Tables) \
  X(arcsin_in_place, Fp32Tables) X(rsqrt, Fp32Tables) X(sqrt, Fp32Tables) \
  X(reciprocal, Fp32Tables) X(div, Fp32Tables)
// clang-format on

namespace tensorlane::special {
// What values of a type are computed in. The rounding to bf16 makes its own zeros.
template <class Format>
using Environment =
    std::conditional_t<std::is_same_v<Format, Bf16>, GradualUnderflowScope, ChipFloatScope>;
}  // namespace tensorlane::special

#define TL_SPECIAL_DECLARE(name, Format) \
  void name##_##Format(const Arrays& arrays, const Constants& constants);

namespace tensorlane::special::reference {
TL_SPECIAL_INSTANCES(TL_SPECIAL_DECLARE)
}
namespace tensorlane::special::simd {
TL_SPECIAL_INSTANCES(TL_SPECIAL_DECLARE)
}
#undef TL_SPECIAL_DECLARE

#endif  // TENSORLANE_COMPUTE_SPECIAL_FUNCTIONS_INTERNAL_H_
