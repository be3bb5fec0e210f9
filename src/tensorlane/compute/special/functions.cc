#include "tensorlane/compute/special/functions.h"

#include "tensorlane/base/error.h"
#include "tensorlane/compute/special/functions_internal.h"

namespace tensorlane::special {

#define TL_SPECIAL_DEFINE_TYPED(name)                       \
  Function name(Dtype dtype) {                              \
    switch (dtype) {                                        \
      case Dtype::kFp32:                                    \
        return {simd::name##_Fp32, reference::name##_Fp32}; \
      case Dtype::kFp16:                                    \
        return {simd::name##_Fp16, reference::name##_Fp16}; \
      default:                                              \
        TL_INTERNAL_CHECK(dtype == Dtype::kBf16);           \
        return {simd::name##_Bf16, reference::name##_Bf16}; \
    }                                                       \
  }
TL_SPECIAL_TYPED(TL_SPECIAL_DEFINE_TYPED)
#undef TL_SPECIAL_DEFINE_TYPED

#define TL_SPECIAL_DEFINE_FP32(name)                    \
  Function name() {                                     \
    return {simd::name##_Fp32, reference::name##_Fp32}; \
  }
TL_SPECIAL_FP32(TL_SPECIAL_DEFINE_FP32)
#undef TL_SPECIAL_DEFINE_FP32

}  // namespace tensorlane::special
