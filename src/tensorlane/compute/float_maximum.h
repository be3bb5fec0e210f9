// The largest of floating point numbers as pooling finds it.
#ifndef TENSORLANE_COMPUTE_FLOAT_MAXIMUM_H_
#define TENSORLANE_COMPUTE_FLOAT_MAXIMUM_H_

#include <cstdint>

#include "tensorlane/compute/element_io.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// The bits of the least finite number of a type, and that number.
constexpr std::uint32_t least_float_bits(Dtype type) {
  if (type == Dtype::kFp16) return 0xfbffU;
  return type == Dtype::kBf16 ? 0xff7fU : 0xff7fffffU;
}
inline float least_float(Dtype type) {
  return bits_to_float(least_float_bits(type), type);
}

// r = r > t ? r : t, from the least finite number on: -Inf never wins, a NaN does where it comes
// last. Denormal fp32 and bf16 count as zero when they are compared. The winner's bits stay, those
// of NaN too, but denormal fp32 becomes zero. `nan_loses`: r = t > r ? t : r, as on the BM1684,
// where no NaN wins. In the chips' float environment. [observed]
class FloatMaximum {
 public:
  explicit FloatMaximum(Dtype type, bool nan_loses = false)
      : type_(type),
        nan_loses_(nan_loses),
        bits_(least_float_bits(type)),
        value_(least_float(type)) {}

  void add(std::uint32_t bits) {
    const float value = bits_to_float(bits, type_);
    if (nan_loses_ ? !(value > value_) : value_ > value) return;
    value_ = value;
    bits_ = bits;
  }
  std::uint32_t bits() const {
    constexpr std::uint32_t kExponent = 0x7f800000U, kSign = 0x80000000U;
    return type_ == Dtype::kFp32 && (bits_ & kExponent) == 0 ? bits_ & kSign : bits_;
  }

 private:
  Dtype type_;
  bool nan_loses_;
  std::uint32_t bits_;
  float value_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_FLOAT_MAXIMUM_H_
