// Division and its kin on the BM1684X: Newton steps from a guess by integer arithmetic. [observed,
// bit for bit]
//
// All in fp32, denormals flushed. The guess uses the raw bits.
#ifndef TENSORLANE_TPUKERNEL_DIVISION_H_
#define TENSORLANE_TPUKERNEL_DIVISION_H_

#include "tensorlane/fp32/arithmetic.h"

namespace tensorlane::tpukernel::division {

inline constexpr int kIterations = 3;  // of the functions that do not take a number

inline float rsqrt(float x, int iterations) {
  float y = fp32::from_bits(0x5f3759dfU -
                            static_cast<std::uint32_t>(std::bit_cast<std::int32_t>(x) >> 1));
  const float half = fp32::mul(0.5F, x);
  for (int step = 0; step < iterations; ++step) {
    float t = fp32::mul(half, y);
    t = fp32::mul(t, y);
    t = fp32::sub(1.5F, t);
    y = fp32::mul(y, t);
  }
  return y;
}

inline float reciprocal(float x, int iterations) {
  const float y = rsqrt(fp32::from_bits(fp32::bits(x) & 0x7fffffffU), iterations);
  const float q = fp32::mul(y, y);
  return fp32::from_bits(fp32::bits(q) | (fp32::bits(x) & 0x80000000U));
}

inline float sqrt(float x, int iterations) {
  return fp32::mul(x, rsqrt(x, iterations));
}

inline float divide(float a, float b, int iterations) {
  return fp32::mul(a, reciprocal(b, iterations));
}

}  // namespace tensorlane::tpukernel::division

#endif  // TENSORLANE_TPUKERNEL_DIVISION_H_
