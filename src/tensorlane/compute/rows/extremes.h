// Minimum and maximum of two operands, of any type.
#ifndef TENSORLANE_COMPUTE_ROWS_EXTREMES_H_
#define TENSORLANE_COMPUTE_ROWS_EXTREMES_H_

#include "tensorlane/compute/rows/predicates.h"
#include "tensorlane/compute/rows/widened_rows.h"

namespace tensorlane {

// What becomes of the bits of a result: denormal numbers of fp32 and bf16 turn into zeros.
struct FlushBits {
  std::uint32_t exponent = 0, sign = 0;  // masks; 0 where nothing is flushed

  explicit FlushBits(Dtype dtype) {
    if (dtype == Dtype::kFp32) *this = FlushBits(0x7f800000U, 0x80000000U);
    if (dtype == Dtype::kBf16) *this = FlushBits(0x7f80U, 0x8000U);
  }
  std::uint32_t operator()(std::uint32_t bits) const {
    return exponent != 0 && (bits & exponent) == 0 ? bits & sign : bits;
  }

 private:
  FlushBits(std::uint32_t exponent, std::uint32_t sign) : exponent(exponent), sign(sign) {}
};

template <class T, class TakesFirst>
std::vector<Implementation> extreme_of(std::string_view dst, const SourceParam& a,
                                       const SourceParam& b, TakesFirst takes_first) {
  return widened<std::uint32_t, T, T, std::uint32_t, std::uint32_t>(
      dst, {a, b, a, b}, [=](const Command& command) {
        const FlushBits flush(command.find(dst)->layout.dtype());
        return [=](T x, T y, std::uint32_t x_bits, std::uint32_t y_bits) {
          return flush(takes_first(x, y) ? x_bits : y_bits);
        };
      });
}
template <class TakesFirst>
std::vector<Implementation> extreme(std::string_view dst, std::string_view dtype_param,
                                    const SourceParam& a, const SourceParam& b,
                                    TakesFirst takes_first) {
  return by_kind(dtype_param, extreme_of<float>(dst, a, b, takes_first),
                 extreme_of<std::int64_t>(dst, a, b, takes_first));
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ROWS_EXTREMES_H_
