// The implementations behind functions.h, one for every function and type.
#ifndef TENSORLANE_COMPUTE_SPECIAL_FUNCTIONS_INTERNAL_H_
#define TENSORLANE_COMPUTE_SPECIAL_FUNCTIONS_INTERNAL_H_

#include <type_traits>

#include "tensorlane/base/fp_environment.h"
#include "tensorlane/compute/special/formats.h"
#include "tensorlane/compute/special/functions.h"

// TL_SPECIAL_INSTANCE(name, format), which whoever asks defines, for every function and the formats
// of formats.h it comes in.
#define TL_SPECIAL_OF_TYPED(name) \
  TL_SPECIAL_OF_FP32(name) TL_SPECIAL_INSTANCE(name, Fp16) TL_SPECIAL_INSTANCE(name, Bf16)
#define TL_SPECIAL_OF_FP32(name) \
  TL_SPECIAL_INSTANCE(name, Fp32) TL_SPECIAL_INSTANCE(name, Fp32Tables)
#define TL_SPECIAL_OF_ROOT(name) TL_SPECIAL_OF_FP32(name) TL_SPECIAL_INSTANCE(name, Fp16Steps)
#define TL_SPECIAL_INSTANCES            \
  TL_SPECIAL_TYPED(TL_SPECIAL_OF_TYPED) \
  TL_SPECIAL_FP32(TL_SPECIAL_OF_FP32)   \
  TL_SPECIAL_ROOTS(TL_SPECIAL_OF_ROOT)

namespace tensorlane::special {
// What values of a type are computed in. The rounding to bf16 makes its own zeros.
template <class Format>
using Environment =
    std::conditional_t<std::is_same_v<Format, Bf16>, GradualUnderflowScope, ChipFloatScope>;
}  // namespace tensorlane::special

#define TL_SPECIAL_INSTANCE(name, Format) \
  void name##_##Format(const Arrays& arrays, const Constants& constants);

namespace tensorlane::special::reference {
TL_SPECIAL_INSTANCES
}
namespace tensorlane::special::simd {
TL_SPECIAL_INSTANCES
}
#undef TL_SPECIAL_INSTANCE

#endif  // TENSORLANE_COMPUTE_SPECIAL_FUNCTIONS_INTERNAL_H_
