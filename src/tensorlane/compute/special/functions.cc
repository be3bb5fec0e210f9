#include "tensorlane/compute/special/functions.h"

#include <array>
#include <cmath>

#include "tensorlane/base/error.h"
#include "tensorlane/compute/special/functions_internal.h"

namespace tensorlane::special {

#define TL_SPECIAL_DEFINE_TYPED(name)                                     \
  Function name(Dtype dtype, Dialect dialect) {                           \
    switch (dtype) {                                                      \
      case Dtype::kFp32:                                                  \
        if (dialect == Dialect::kTables)                                  \
          return {simd::name##_Fp32Tables, reference::name##_Fp32Tables}; \
        return {simd::name##_Fp32, reference::name##_Fp32};               \
      case Dtype::kFp16:                                                  \
        return {simd::name##_Fp16, reference::name##_Fp16};               \
      default:                                                            \
        TL_INTERNAL_CHECK(dtype == Dtype::kBf16);                         \
        return {simd::name##_Bf16, reference::name##_Bf16};               \
    }                                                                     \
  }
TL_SPECIAL_TYPED(TL_SPECIAL_DEFINE_TYPED)
#undef TL_SPECIAL_DEFINE_TYPED

#define TL_SPECIAL_DEFINE_FP32(name)                                  \
  Function name(Dialect dialect) {                                    \
    if (dialect == Dialect::kTables)                                  \
      return {simd::name##_Fp32Tables, reference::name##_Fp32Tables}; \
    return {simd::name##_Fp32, reference::name##_Fp32};               \
  }
TL_SPECIAL_FP32(TL_SPECIAL_DEFINE_FP32)
#undef TL_SPECIAL_DEFINE_FP32

#define TL_SPECIAL_DEFINE_ROOT(name)                                                 \
  Function name(Dtype dtype, RootRule rule) {                                        \
    if (rule == RootRule::kBare) return {simd::name##_Fp32, reference::name##_Fp32}; \
    if (rule == RootRule::kCheckedTyped && dtype == Dtype::kFp16)                    \
      return {simd::name##_Fp16Steps, reference::name##_Fp16Steps};                  \
    return {simd::name##_Fp32Tables, reference::name##_Fp32Tables};                  \
  }
TL_SPECIAL_ROOTS(TL_SPECIAL_DEFINE_ROOT)
#undef TL_SPECIAL_DEFINE_ROOT

const float* powers_of_e() {
  static const std::array<float, kPowers> powers = [] {
    std::array<float, kPowers> values{};
    for (int i = 0; i < kPowers; ++i)
      values[static_cast<std::size_t>(i)] =
          static_cast<float>(std::exp(i + static_cast<double>(kLeastPower)));
    return values;
  }();
  return powers.data();
}

}  // namespace tensorlane::special
