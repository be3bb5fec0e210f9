// fp32 arithmetic of the BM1684, one operation at a time.
//
// IEEE binary32, round to nearest even, denormal operands read as signed zero and denormal results
// flushed to signed zero. The hardware mode does that (ChipFloatScope must be in force); what
// the functions here add is which NaN comes out: the first operand's, quieted, else the second's,
// and 0xFFC00000 for invalid operations. A compiler may swap the operands of a + b, so that choice
// is spelt out. [observed: golden vectors, numerics sections 0 and 1]
#ifndef TENSORLANE_COMPUTE_FP32_ARITHMETIC_H_
#define TENSORLANE_COMPUTE_FP32_ARITHMETIC_H_

#include <bit>
#include <cstdint>

namespace tensorlane::fp32 {

constexpr std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
constexpr float from_bits(std::uint32_t value) {
  return std::bit_cast<float>(value);
}
inline bool is_nan(float value) {
  return (bits(value) & 0x7fffffffu) > 0x7f800000u;
}
inline float quiet(float nan) {
  return from_bits(bits(nan) | 0x00400000u);
}

// The result of an operation whose plain value is `result`, with the NaN the chip would give.
inline float with_nan_of(float a, float b, float result) {
  if (is_nan(a)) return quiet(a);
  if (is_nan(b)) return quiet(b);
  return is_nan(result) ? from_bits(0xffc00000u) : result;
}

inline float add(float a, float b) {
  return with_nan_of(a, b, a + b);
}
inline float sub(float a, float b) {
  return with_nan_of(a, b, a - b);
}
inline float mul(float a, float b) {
  return with_nan_of(a, b, a * b);
}

constexpr bool is_denormal(float value) {
  return (bits(value) & 0x7f800000u) == 0;
}  // or zero
constexpr float flush(float value) {
  return is_denormal(value) ? from_bits(bits(value) & 0x80000000u) : value;
}

// a > b with denormals read as zero; false when unordered. Written on flushed values so that no
// compiler can fold the comparison before the mode is set.
inline bool greater(float a, float b) {
  return flush(a) > flush(b);
}

// Fast inverse square root with three Newton steps: the root of division, reciprocal, sqrt, rsqrt.
inline float rsqrt(float x) {
  float y =
      from_bits(0x5f3759dfu - static_cast<std::uint32_t>(std::bit_cast<std::int32_t>(x) >> 1));
  const float half = mul(0.5f, x);
  for (int step = 0; step < 3; ++step) {
    float t = mul(half, y);
    t = mul(t, y);
    t = sub(1.5f, t);
    y = mul(y, t);
  }
  return y;
}

// a / b as the chip computes it: not IEEE, 1 to 3 units in the last place off. Of two NaNs the
// divisor's comes out.
inline float div(float a, float b) {
  const float y = rsqrt(from_bits(bits(b) & 0x7fffffffu));
  const float q = mul(y, y);
  return mul(q, from_bits(bits(a) ^ (bits(b) & 0x80000000u)));
}

inline float reciprocal(float x) {
  return div(1.0f, x);
}

}  // namespace tensorlane::fp32

#endif  // TENSORLANE_COMPUTE_FP32_ARITHMETIC_H_
