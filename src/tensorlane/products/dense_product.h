// Sums of products over dense operands: what convolutions and matrix products of every type are
// once their operands are laid out, and the fast path of all of them.
//
// Operands are 32-bit words: an fp32 number (also for fp16 and bf16 operands), or the integers of
// two or four neighbouring channels, the first in the low bits (integer_tile.h). Words of integers
// travel as floats whose bits nobody interprets.
//
//   input    [n, channels, h, w], a view of words; outside it `padding` of the channel
//   weights  [rows, steps], the steps in the order of the rule
//   output   rows of sums per image, handed to a sink in runs of consecutive positions
//
// A matrix product is the case of one image with h = 1 and a 1x1 kernel: rows are those of the left
// matrix, channels the reduction index, positions the columns of the right matrix.
#ifndef TENSORLANE_PRODUCTS_DENSE_PRODUCT_H_
#define TENSORLANE_PRODUCTS_DENSE_PRODUCT_H_

#include <cstdint>
#include <vector>

#include "tensorlane/products/integer_tile.h"
#include "tensorlane/products/product_rules.h"
#include "tensorlane/tiles/local_view.h"
#include "tensorlane/tiles/window2d.h"

namespace tensorlane {

// `count` consecutive outputs of one row: position = oh*output_w + ow of the first.
struct OutputRun {
  int image = 0;
  int row = 0;
  std::int64_t position = 0;
  int count = 0;
};

// Called from several threads, each output once.
class ProductSink {
 public:
  virtual ~ProductSink() = default;
  // What the sums of floats start with; only called when `has_starts`.
  virtual bool has_starts() const { return false; }
  virtual void start(const OutputRun& run, float* first, float* second) const = 0;
  // The finished sums: fp32, or std::int32_t for integers.
  virtual void finish(const OutputRun& run, const float* sums) const = 0;
};

struct DenseProduct {
  ProductRule rule = ProductRule::kFp32Chains;
  int n = 1;
  int channels = 1;  // in words
  int h = 1;
  int w = 1;
  int rows = 1;
  Window2d window;
  LocalView input;
  const float* padding = nullptr;  // [channels]; null: zero
  std::vector<ProductStep> steps;  // of words
  const float* weights = nullptr;
  bool specials = false;  // an operand may be infinite or NaN
  // Integers only.
  IntegerFactors factors = IntegerFactors::kPairs;
  const std::int32_t* row_starts = nullptr;  // [rows], what sums start with; null: zero
};

// False when the operands' planes are too large for the scratch memory; nothing is called then.
bool run_dense_product(const DenseProduct& product, const ProductSink& sink);

}  // namespace tensorlane

#endif  // TENSORLANE_PRODUCTS_DENSE_PRODUCT_H_
