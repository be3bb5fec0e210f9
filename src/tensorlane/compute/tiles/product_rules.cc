#include "tensorlane/compute/tiles/product_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tensorlane {
namespace {

// Channels that lie next to each other in the order of a rule.
int channels_per_block(ProductRule rule, int channels, int block_channels) {
  if (rule == ProductRule::kFp32Chains) return 1;
  return rule == ProductRule::kBlockSums ? block_channels : channels;
}

// Infinities count before a NaN does.
float sum_of_specials(std::span<const float> products) {
  float infinities = 0.0F, nans = 0.0F;
  for (const float product : products) {
    if (std::isinf(product)) infinities += product;
    if (std::isnan(product)) nans += product;
  }
  return infinities != 0.0F ? infinities : nans;  // opposite ones are no zero but a NaN
}

std::int64_t wrapped(std::int64_t sum, SumWraps wraps) {
  if (wraps == SumWraps::kInt32) return static_cast<std::int32_t>(sum);
  return wraps == SumWraps::kUint32 ? static_cast<std::uint32_t>(sum) : sum;
}

// A number without sign, shifted and saturated; it may not fit the signed type.
std::int64_t shift_unsigned(std::uint64_t value, const IntegerFinish& finish) {
  if (finish.shift >= 0) {
    value <<= finish.shift & 63;
  } else {
    value = round_magnitude(value, -finish.shift, false, finish.rounding);
  }
  const auto most = static_cast<std::uint64_t>(integer_range(finish.output).max);
  return static_cast<std::int64_t>(finish.saturate ? std::min(value, most) : value);
}

}  // namespace

ProductRule product_rule(Dtype operand) {
  if (operand == Dtype::kFp32) return ProductRule::kFp32Chains;
  return dtype_info(operand).is_float ? ProductRule::kBlockSums : ProductRule::kInteger;
}

std::vector<ProductStep> product_steps(ProductRule rule, int channels, int kernel_h, int kernel_w,
                                       int block_channels) {
  const int block = channels_per_block(rule, channels, block_channels);
  std::vector<ProductStep> steps;
  for (int first = 0; first < channels; first += block) {
    for (int kh = 0; kh < kernel_h; ++kh) {
      for (int kw = 0; kw < kernel_w; ++kw) {
        const int end = std::min(first + block, channels);
        for (int c = first; c < end; ++c) steps.push_back({c, kh, kw, c + 1 == end});
      }
    }
  }
  return steps;
}

float sum_of_block(std::span<const float> products) {
  float largest = 0.0F;
  for (const float product : products) {
    if (!std::isfinite(product)) return sum_of_specials(products);
    largest = std::max(largest, std::abs(product));
  }
  if (largest == 0.0F) return 0.0F;
  const int unit = std::ilogb(largest) - 24;
  std::int64_t sum = 0;
  for (const float product : products) {
    sum += static_cast<std::int64_t>(std::ldexp(static_cast<double>(product), -unit));
  }
  return static_cast<float>(std::ldexp(static_cast<double>(sum), unit));
}

ChainSum::ChainSum(const SumStart& start) : chain_{start.first_chain(), start.second_chain()} {}

BlockSum::BlockSum(const SumStart& start) : sum_(start.sum()) {}

void BlockSum::end_block() {
  sum_ += sum_of_block(products_);
  products_.clear();
}

std::int64_t IntegerFinish::apply(std::int64_t sum) const {
  if (wraps == SumWraps::kUint64) return shift_unsigned(static_cast<std::uint64_t>(sum), *this);
  std::int64_t value = rounding_shift(wrapped(sum, wraps) * multiplier, shift, rounding);
  if (relu) value = std::max<std::int64_t>(value, 0);
  if (!saturate) return value;
  const IntegerRange range = integer_range(output);
  return std::clamp(value, range.min, range.max);
}

}  // namespace tensorlane
