// Values of a floating point type held in fp32: read, rounded, written.
#ifndef TENSORLANE_COMPUTE_ROWS_TYPED_ROUNDING_H_
#define TENSORLANE_COMPUTE_ROWS_TYPED_ROUNDING_H_

#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "tensorlane/compute/fp32_arithmetic.h"
#include "tensorlane/compute/rows/widened_rows.h"

namespace tensorlane {

class TypedRounding {
 public:
  explicit TypedRounding(Dtype dtype)
      : dtype_(dtype), load_(load_row<float>(dtype)), store_(store_row<float>(dtype)) {}

  float operator()(float value) const {
    if (dtype_ == Dtype::kFp32) return value;
    std::array<std::byte, 4> bits{};
    write(bits.data(), value);
    return read(bits.data());
  }
  float read(const std::byte* from) const {
    float result = 0;
    load_(from, 0, 1, &result);
    return result;
  }
  void write(std::byte* to, float value) const { store_(to, 0, 1, &value); }

  // Rounds each of `values` to the type.
  void round(std::span<float> values) const {
    if (dtype_ == Dtype::kFp32) return;
    const auto bytes = static_cast<std::size_t>(dtype_bytes(dtype_));
    std::array<std::byte, 256> rounded{};
    while (!values.empty()) {
      const std::size_t count = std::min(values.size(), rounded.size() / bytes);
      store_(rounded.data(), static_cast<std::int64_t>(bytes), count, values.data());
      load_(rounded.data(), static_cast<std::int64_t>(bytes), count, values.data());
      values = values.subspan(count);
    }
  }
  void read(const std::byte* from, std::span<float> values) const {
    load_(from, dtype_bytes(dtype_), values.size(), values.data());
  }

  // The average of a window as the chip sums it: scaled elements, even and odd ones apart, rounded
  // to the type at every step. [observed]
  float average(const std::vector<float>& values, float scale) const {
    std::array<float, 2> sums = {-0.0F, -0.0F};  // nothing
    for (std::size_t k = 0; k < values.size(); ++k) {
      const float scaled = (*this)(fp32::mul(values[k], scale));
      sums[k % 2] = (*this)(fp32::add(sums[k % 2], scaled));
    }
    return (*this)(fp32::add(sums[0], sums[1]));
  }

 private:
  Dtype dtype_;
  LoadRow<float> load_;
  StoreRow<float> store_;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_TYPED_ROUNDING_H_
