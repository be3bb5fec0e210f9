// fp16 and bf16 to and from the host's float, and the two fp8 formats to it.
//
// Widening is exact. Narrowing rounds once, by `mode` (0..4 of rounding.h), overflows as IEEE 754
// says and makes denormal results; the rules of one chip are options of convert.h.
// Bits travel as unsigned integers, since the host may have no such type.
//
//   float_to_fp16(65519.0F) == 0x7bff         // 65504, the largest fp16
//   float_to_fp16(65520.0F) == 0x7c00         // Inf
//   float_to_fp16(65520.0F, RoundingMode::kTowardsZero) == 0x7bff
//   fp16_to_float(0x3555) == 0.333251953125F
//
// For arrays use convert_elements() of convert.h, which is many times faster.
#ifndef TENSORLANE_TENSOR_FLOAT16_H_
#define TENSORLANE_TENSOR_FLOAT16_H_

#include <bit>
#include <cstdint>

#include "tensorlane/tensor/float_format.h"

namespace tensorlane {

constexpr float format_to_float(std::uint32_t bits, const FloatFormat& format) {
  return std::bit_cast<float>(pack(unpack(bits, format), kFp32Format, RoundingMode::kHalfToEven));
}
constexpr std::uint32_t float_to_format(float value, const FloatFormat& format, RoundingMode mode) {
  return pack(unpack(std::bit_cast<std::uint32_t>(value), kFp32Format), format, mode);
}

constexpr float fp16_to_float(std::uint16_t bits) {
  return format_to_float(bits, kFp16Format);
}
constexpr std::uint16_t float_to_fp16(float value, RoundingMode mode = RoundingMode::kHalfToEven) {
  return static_cast<std::uint16_t>(float_to_format(value, kFp16Format, mode));
}

// A bit shift, so that NaN bits stay as they are.
constexpr float bf16_to_float(std::uint16_t bits) {
  return std::bit_cast<float>(std::uint32_t{bits} << 16);
}
constexpr std::uint16_t float_to_bf16(float value, RoundingMode mode = RoundingMode::kHalfToEven) {
  return static_cast<std::uint16_t>(float_to_format(value, kBf16Format, mode));
}

constexpr float fp8e4m3_to_float(std::uint8_t bits) {
  return format_to_float(bits, kFp8E4M3Format);
}
constexpr float fp8e5m2_to_float(std::uint8_t bits) {
  return format_to_float(bits, kFp8E5M2Format);
}

}  // namespace tensorlane

#endif  // TENSORLANE_TENSOR_FLOAT16_H_
