#include "tensorlane/compute/products/integer_words.h"

#include "tensorlane/compute/products/byte_quads.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane {
namespace {

bool has_sign(Dtype dtype) {
  return integer_range(dtype).min < 0;
}

// to[i] = op(to[i], from[i]) on the bits of the words, in a form that compilers vectorise.
template <class Op>
void for_each_bits(const std::int32_t* from, std::int64_t count, std::int32_t* to, Op op) {
  for (std::int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<std::int32_t>(
        op(static_cast<std::uint32_t>(to[i]), static_cast<std::uint32_t>(from[i])));
  }
}

std::int32_t sum_pairs(std::span<const std::int32_t> words) {
  std::uint32_t sum = 0;
  for (const std::int32_t word : words)
    sum += static_cast<std::uint32_t>(word >> 16) +
           static_cast<std::uint32_t>(static_cast<std::int16_t>(word));
  return static_cast<std::int32_t>(sum);
}

}  // namespace

IntegerWords::IntegerWords(Dtype inputs, Dtype weights, bool plain) {
  if (!plain || dtype_bytes(inputs) != 1 || dtype_bytes(weights) != 1 || !has_integer_quads())
    return;
  factors_ = has_sign(weights) ? IntegerFactors::kUnsignedInputs : IntegerFactors::kUnsignedWeights;
  flipped_ = has_sign(inputs) == has_sign(weights);
}

void IntegerWords::join_inputs(std::span<const std::int32_t* const> parts, std::int64_t count,
                               std::int32_t* to) const {
  const std::uint32_t mask = (1U << bits()) - 1;
  for_each_bits(parts[0], count, to, [=, flip = flip()](std::uint32_t, std::uint32_t first) {
    return (first & mask) ^ flip;
  });
  for (std::size_t k = 1; k < parts.size(); ++k) {
    const int shift = static_cast<int>(k) * bits();
    for_each_bits(parts[k], count, to, [=](std::uint32_t word, std::uint32_t part) {
      return word ^ (part & mask) << shift;
    });
  }
}

std::int32_t IntegerWords::join_weights(std::span<const std::int32_t> weights) const {
  std::uint32_t word = 0;
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto part = static_cast<std::uint32_t>(weights[k]) & ((1U << bits()) - 1);
    word |= part << (static_cast<int>(k) * bits());
  }
  return static_cast<std::int32_t>(word);
}

std::vector<std::int32_t> IntegerWords::row_sums(std::span<const std::int32_t> weights,
                                                 std::size_t steps) const {
  const bool with_sign = factors_ != IntegerFactors::kUnsignedWeights;
  std::vector<std::int32_t> sums;
  for (std::size_t at = 0; at < weights.size(); at += steps) {
    const auto row = weights.subspan(at, steps);
    sums.push_back(size() == 2 ? sum_pairs(row)
                               : static_cast<std::int32_t>(sum_bytes(
                                     row.data(), static_cast<std::int64_t>(steps), with_sign)));
  }
  return sums;
}

std::int32_t IntegerWords::start_for(std::int32_t weight_sum) const {
  if (!flipped_) return 0;
  // Flipped inputs are too large by 128 when they had a sign, too small by 128 when they had none.
  const std::uint32_t term = 128U * static_cast<std::uint32_t>(weight_sum);
  const bool had_sign = factors_ == IntegerFactors::kUnsignedInputs;
  return static_cast<std::int32_t>(had_sign ? 0U - term : term);
}

}  // namespace tensorlane
