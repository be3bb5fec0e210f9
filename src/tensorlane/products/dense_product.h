// Sums of products over dense operands: what convolutions and matrix products of every type are
// once their operands are laid out, and the fast path of all of them.
//
// Operands are 32-bit words: fp32 numbers (also for fp16 and bf16 operands), or integers, two or
// four neighbouring channels to a std::int32_t, the first in the low bits (integer_words.h).
//
//   input    [n, channels, h, w] of the frame, a view of words; outside it `padding` of the channel
//   weights  [rows, steps], the steps in the order of the rule
//   output   rows of sums per image, handed to a sink in runs of consecutive positions
#ifndef TENSORLANE_PRODUCTS_DENSE_PRODUCT_H_
#define TENSORLANE_PRODUCTS_DENSE_PRODUCT_H_

#include <cstdint>
#include <vector>

#include "tensorlane/products/integer_tile.h"
#include "tensorlane/products/product_rules.h"
#include "tensorlane/tiles/product_frame.h"

namespace tensorlane {

// `count` consecutive outputs of one row: position = oh*output_w + ow of the first.
struct OutputRun {
  int image = 0;
  int row = 0;
  std::int64_t position = 0;
  int count = 0;
};

// Where sums go. Called from several threads, each output once.
class FloatSink {
 public:
  virtual ~FloatSink() = default;
  // What the sums start with; only called when `has_starts`.
  virtual bool has_starts() const = 0;
  virtual void start(const OutputRun& run, float* first, float* second) const = 0;
  virtual void finish(const OutputRun& run, const float* sums) const = 0;
};
class IntegerSink {
 public:
  virtual ~IntegerSink() = default;
  virtual void finish(const OutputRun& run, const std::int32_t* sums) const = 0;
};

template <class Word>
struct DenseOperands {
  ProductFrame frame;              // channels and extents in words; outputs follow each other
  std::vector<ProductStep> steps;  // of words
  const Word* padding = nullptr;   // [channels]; null: zero
  const Word* weights = nullptr;
};

struct FloatProduct {
  DenseOperands<float> operands;
  ProductRule rule = ProductRule::kFp32Chains;  // or kBlockSums
  bool specials = false;                        // an operand may be infinite or NaN
};

struct IntegerProduct {
  DenseOperands<std::int32_t> operands;
  IntegerFactors factors = IntegerFactors::kPairs;
  const std::int32_t* row_starts = nullptr;  // [rows], what sums start with; null: zero
};

// False when the operands' planes are too large for the scratch memory; nothing is called then.
bool run_product(const FloatProduct& product, const FloatSink& sink);
bool run_product(const IntegerProduct& product, const IntegerSink& sink);

// Words of an operand laid out densely, as the input of a product.
template <class Word>
LocalView dense_view(Word* words, int channels, int h, int w) {
  const std::int64_t size = std::int64_t{h} * w;
  return {.memory = reinterpret_cast<std::byte*>(words),
          .npus = 1,
          .n = size * channels,
          .c = size,
          .h = w,
          .w = 1,
          .element_bytes = sizeof(Word)};
}

}  // namespace tensorlane

#endif  // TENSORLANE_PRODUCTS_DENSE_PRODUCT_H_
