#include "tensorlane/products/product_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tensorlane {
namespace {

// Channels that lie next to each other in the order of a rule.
int channels_per_block(ProductRule rule, int channels) {
  if (rule == ProductRule::kFp32Chains) return 1;
  return rule == ProductRule::kBlockSums ? kBlockChannels : channels;
}

float sum_of_specials(std::span<const float> products) {
  float sum = 0.0F;
  for (const float product : products) {
    if (!std::isfinite(product)) sum += product;
  }
  return sum;
}

}  // namespace

ProductRule product_rule(Dtype operand) {
  if (operand == Dtype::kFp32) return ProductRule::kFp32Chains;
  return dtype_info(operand).is_float ? ProductRule::kBlockSums : ProductRule::kInteger;
}

std::vector<ProductStep> product_steps(ProductRule rule, int channels, int kernel_h, int kernel_w) {
  const int block = channels_per_block(rule, channels);
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
  std::int64_t value = rounding_shift(sum * multiplier, shift, rounding);
  if (relu) value = std::max<std::int64_t>(value, 0);
  if (!saturate) return value;
  const IntegerRange range = integer_range(output);
  return std::clamp(value, range.min, range.max);
}

}  // namespace tensorlane
