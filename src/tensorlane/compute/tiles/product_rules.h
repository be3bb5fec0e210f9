// How the BM1684X adds up the products of a convolution or a matrix product.
//
// Three rules, found bit for bit on the vendor's model (in a matrix product the reduction index
// plays the role of the input channel, and the kernel is 1x1):
//
//   kFp32Chains   fp32. Products in the order (ic, kh, kw), kw fastest; each is rounded. Product
//                 number k is added to chain[k mod 2], each sum rounded; out = chain[0] + chain[1].
//                 A bias alone starts chain[1], an old result alone too; both together start
//                 chain[0] with the bias and chain[1] with the old result.
//   kBlockSums   fp16 and bf16. Blocks of 32 channels (16 on the BM1688); for each block kh, then
//                 kw. The products of a block are exact. With E the exponent of the largest, each
//                 magnitude is cut to a multiple of 2^(E-24), the sum of these is exact and then
//                 rounded to fp32, and added to an fp32 sum, which starts with bias + old result.
//                 Products above the range of fp32 are infinite, those below it zero; infinities of
//                 one sign give that infinity, beside a NaN too, opposite ones give NaN.
//   kInteger      integers: exact.
//
// Padding takes part as a factor like any other. In every rule denormal fp32 and bf16 numbers count
// as zero.
#ifndef TENSORLANE_COMPUTE_TILES_PRODUCT_RULES_H_
#define TENSORLANE_COMPUTE_TILES_PRODUCT_RULES_H_

#include <cstdint>
#include <span>
#include <vector>

#include "tensorlane/tensor/dtype.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane {

enum class ProductRule : std::uint8_t { kFp32Chains, kBlockSums, kInteger };

// The rule for operands of a type.
ProductRule product_rule(Dtype operand);

// The most channels of a block of the rule kBlockSums, and as many as most chips take.
inline constexpr int kBlockChannels = 32;

// Factor number k of an output: input channel and kernel position.
struct ProductStep {
  int channel = 0;
  int kernel_h = 0;
  int kernel_w = 0;
  bool ends_block = false;
};

// All steps of a rule in order; blocks have `block_channels`.
std::vector<ProductStep> product_steps(ProductRule rule, int channels, int kernel_h, int kernel_w,
                                       int block_channels = kBlockChannels);

// What a sum of floats starts with.
struct SumStart {
  bool has_bias = false;
  bool has_old = false;
  float bias = 0.0F;
  float old = 0.0F;

  // The rule kFp32Chains: with both, each chain starts with one, else the second.
  float first_chain() const { return has_bias && has_old ? bias : 0.0F; }
  float second_chain() const { return has_old ? old : (has_bias ? bias : 0.0F); }
  // The rule kBlockSums.
  float sum() const { return has_bias && has_old ? bias + old : second_chain(); }
};

// One block of the rule kBlockSums; products are fp32 values. Call it in the chips' float
// environment.
float sum_of_block(std::span<const float> products);

// The three rules as plain code.
class ChainSum {
 public:
  explicit ChainSum(const SumStart& start);
  void add(float a, float b) { chain_[count_++ % 2] += a * b; }
  void end_block() {}
  float result() const { return chain_[0] + chain_[1]; }

 private:
  float chain_[2];
  int count_ = 0;
};

class BlockSum {
 public:
  explicit BlockSum(const SumStart& start);
  void add(float a, float b) { products_.push_back(a * b); }
  void end_block();
  float result() const { return sum_; }

 private:
  float sum_;
  std::vector<float> products_;
};

// What an integer sum wraps to before it is shifted.
enum class SumWraps : std::uint8_t { kNever, kInt32, kUint32, kUint64 };

// What becomes of an exact integer sum:
//
//   t = sum [+ bias] [+ (old result << left_shift)], as a number of `wraps`
//   result = t * multiplier, shifted (left for shift > 0, in 64 bits that wrap; rounding right for
//   shift < 0), then negative values to 0 (relu), then saturated to the output's type or cut to its
//   low bits
struct IntegerFinish {
  Dtype output = Dtype::kInt32;
  int left_shift = 0;
  std::int64_t multiplier = 1;
  int shift = 0;
  RoundingMode rounding = RoundingMode::kHalfUp;
  bool relu = false;
  bool saturate = true;
  SumWraps wraps = SumWraps::kNever;

  std::int64_t apply(std::int64_t sum) const;
};

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_TILES_PRODUCT_RULES_H_
