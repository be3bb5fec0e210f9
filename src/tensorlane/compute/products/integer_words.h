// How integer factors share 32-bit words, for integer_tile.h.
//
// Pairs of 16 bits take all types up to 16 bits. Fours of 8 bits halve the work where both operands
// are plain bytes and the processor multiplies them: bytes without sign by bytes with sign. Where
// both operands are of one kind, the top bit of the inputs is flipped, which moves them by 128 to
// the other kind; the sums of a row then start with what makes up for it.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_INTEGER_WORDS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_INTEGER_WORDS_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/compute/tiles/integer_tile.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// In 32 bits that wrap around.
inline std::int32_t wrapping_add(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) + static_cast<std::uint32_t>(b));
}
inline std::int32_t wrapping_sub(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) - static_cast<std::uint32_t>(b));
}
inline std::int32_t wrapping_mul(std::int32_t a, std::int32_t b) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(a) * static_cast<std::uint32_t>(b));
}

class IntegerWords {
 public:
  // `plain`: every factor is a number of its operand's type (no padding outside it).
  IntegerWords(Dtype inputs, Dtype weights, bool plain);

  IntegerFactors factors() const { return factors_; }
  // Factors per word.
  int size() const { return factors_ == IntegerFactors::kPairs ? 2 : 4; }
  int words(int factors) const { return (factors + size() - 1) / size(); }

  // to[i] = the word of parts[0][i], parts[1][i], ..., the first in the low bits; up to size()
  // parts, those that are missing count as zero. `to` may be parts[0].
  void join_inputs(std::span<const std::int32_t* const> parts, std::int64_t count,
                   std::int32_t* to) const;
  // Bits of every word of inputs that are turned over.
  std::uint32_t flip() const { return flipped_ ? 0x80808080U : 0; }
  // The word of some weights.
  std::int32_t join_weights(std::span<const std::int32_t> weights) const;
  // The sum of the factors of each row of `steps` words of weights, in 32 bits that wrap.
  std::vector<std::int32_t> row_sums(std::span<const std::int32_t> weights,
                                     std::size_t steps) const;
  // What a sum of products starts with, from the sum of its weights: what makes up for the flip.
  std::int32_t start_for(std::int32_t weight_sum) const;

 private:
  int bits() const { return 32 / size(); }

  IntegerFactors factors_ = IntegerFactors::kPairs;
  bool flipped_ = false;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_INTEGER_WORDS_H_
