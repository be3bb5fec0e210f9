// Bare loops of functions of floats.
#include <bit>
#include <cmath>
#include <cstdint>

#include "bounds.h"

namespace tensorlane::bench {
namespace {

// The quotient that the chip has: three Newton steps from a guess by integers.
float quotient(float a, float b) {
  const float size = std::fabs(b), half = 0.5F * size;
  float y = std::bit_cast<float>(0x5f3759dfU - (std::bit_cast<std::uint32_t>(size) >> 1U));
  y = y * (1.5F - half * y * y);
  y = y * (1.5F - half * y * y);
  y = y * (1.5F - half * y * y);
  return y * y * std::copysign(a, b);
}

void divide(const Placed& placed) {
  each_pair<float, float, float>(placed, quotient);
}
void divide_constant(const Placed& placed) {
  each_element<float, float>(placed, [](float b) { return quotient(3.0F, b); });
}

}  // namespace

const BoundList& float_bounds() {
  static const auto& list = *new BoundList{
      {"(okk_bdc|tpu_bdc_fp|tpu_bdc_fp32)(_tunable)?_div", "fp32", "fp32 quotient",
       placed_loop<divide>},
      {"(okk_bdc|tpu_bdc_fp|tpu_bdc_fp32)(_tunable)?(_C_div|_div_C|_reciprocal)", "fp32",
       "fp32 quotient with a constant", placed_loop<divide_constant>},
  };
  return list;
}

}  // namespace tensorlane::bench
