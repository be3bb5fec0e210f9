// Requantisation and dequantisation on the BM1684X: dst = f(src) for every element, with numbers of
// the call or of the channel.
//
//   kIntRequant    saturate(shift(src * multiplier) + offset)
//   kIntDequant    saturate(shift((src - offset) * multiplier))
//   kFloatRequant  saturate(round_dst(fl(fl(round_src(src) * scale) + offset))), fp32, no fused
//                  multiply-add
//   kFloatDequant  fl(round(src - offset) * scale)
//
// Integers are computed in 64 bits that wrap. shift is left for positive numbers, by their low six
// bits, and rounding right for negative ones; round_src and round are the conversion of an integer
// to fp32; a NaN becomes 0. [observed]
//
// Per-channel numbers are a tensor of int32 or fp32 words: (multiplier, shift, offset) for
// kIntRequant, (offset, multiplier, shift) for kIntDequant, (scale, offset) for kFloatRequant and
// (offset, scale) for kFloatDequant. Of a shift the low 8 bits count, of an integer offset the low
// 16, with the sign of the destination where that is requantised to, else of the source. [observed]
//
// Packed, as on the BM1688, integer numbers are two words: the multiplier, then the shift in the
// low 8 bits with a signed offset in the high 16. The offset of kFloatDequant is signed too, and
// what is shifted to the left keeps its sign. [observed]
#ifndef TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_H_
#define TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_H_

#include <cstdint>

#include "tensorlane/compute/bands/local_view.h"
#include "tensorlane/tensor/dtype.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane {

enum class QuantRule : std::uint8_t { kIntRequant, kIntDequant, kFloatRequant, kFloatDequant };

// Words of one channel's numbers.
constexpr int quant_words(QuantRule rule) {
  return rule == QuantRule::kIntRequant || rule == QuantRule::kIntDequant ? 3 : 2;
}

struct QuantNumbers {
  std::int32_t multiplier = 1;
  int shift = 0;
  std::int64_t offset = 0;
  float scale = 1.0F;
  float float_offset = 0.0F;
};

struct QuantArgs {
  QuantRule rule = QuantRule::kIntRequant;
  LocalView dst;
  LocalView src;
  Dtype dst_type = Dtype::kInt8;
  Dtype src_type = Dtype::kInt32;
  int n = 1;
  int c = 1;
  int h = 1;
  int w = 1;
  RoundingMode rounding = RoundingMode::kHalfToEven;
  RoundingMode source_rounding = RoundingMode::kHalfToEven;  // kFloatRequant
  QuantNumbers numbers;
  bool per_channel = false;
  LocalView quant;      // [1, c, 1, quant_words]
  bool packed = false;  // an integer multiplier, then the shift with the offset above it

  QuantNumbers of(int channel) const;
};

// An integer offset as the chip reads it.
std::int64_t quant_offset(QuantRule rule, std::uint32_t bits, Dtype dst, Dtype src);

// Plain loops that define the result.
void quantize_reference(const QuantArgs& args);

// The same bits, fast. False when the case is outside what it handles (nothing is written then).
bool quantize_rows(const QuantArgs& args);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_QUANTIZE_H_
