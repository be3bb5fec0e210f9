// Sums of products over dense operands: what convolutions and matrix products of every type are
// once their operands are laid out, and the fast path of all of them.
//
// Operands are 32-bit words: fp32 numbers (also for fp16 and bf16 operands), or integers, two or
// four neighbouring channels to a std::int32_t, the first in the low bits (integer_words.h).
//
//   input    [n, channels, h, w] of the frame, a view of words, or given by `read` part by part;
//            outside it `padding` of the channel
//   weights  [rows, steps], the steps in the order of the rule
//   output   rows of sums per image, handed to a sink in runs of consecutive positions
//
// A matrix product of few rows goes over the right matrix once, as it is read (streamed_product.h),
// one of many goes strip by strip (strip_product.h, integer_strips.h), unless tiles multiply
// several steps at once; everything else runs in the tiles of bands (band_tiles.h).
#ifndef TENSORLANE_COMPUTE_PRODUCTS_DENSE_PRODUCT_H_
#define TENSORLANE_COMPUTE_PRODUCTS_DENSE_PRODUCT_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "tensorlane/compute/bands/product_frame.h"
#include "tensorlane/compute/tiles/integer_tile.h"
#include "tensorlane/compute/tiles/product_rules.h"

namespace tensorlane {

// `count` consecutive outputs of one row; `position` is the first, in elements behind the output
// (image, row, 0, 0).
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
  // The same run of `rows` rows from run.row on, whose sums are `stride` apart. `input_sums`: of
  // the inputs of each output of the run, where the product has `ones`.
  virtual void finish(const OutputRun& run, int rows, const std::int32_t* sums, int stride,
                      const std::int32_t* input_sums) const = 0;
};

template <class Word>
struct DenseOperands {
  ProductFrame frame;              // channels and extents in words
  ReadInput<Word> read;            // empty: the input is the frame's
  std::vector<ProductStep> steps;  // of words
  const Word* padding = nullptr;   // [channels]; null: zero
  const Word* weights = nullptr;
};

struct FloatProduct {
  DenseOperands<float> operands;
  ProductRule rule = ProductRule::kFp32Chains;  // or kBlockSums
  // Of a matrix product, where columns of the right matrix are read better than its rows: `count`
  // of them from `first` on, to[step][column], rows `width` apart and filled up with zeros. Empty:
  // `operands.read`. Called from several threads.
  std::function<void(int first, int count, int width, float* to)> read_columns = nullptr;
  // In the same way rows of the left matrix that are not laid out before: `rows` of them from
  // `first` on, [row][step]. Empty: `operands.weights`.
  std::function<void(int first, int rows, float* to)> read_rows = nullptr;
  // Four of those rows, [step][row]. Empty: `read_rows`.
  std::function<void(int first, float* to)> read_four_rows = nullptr;
  // Whether an operand that was read so far may be infinite or NaN.
  std::function<bool()> specials;
};

struct IntegerProduct {
  DenseOperands<std::int32_t> operands;
  IntegerFactors factors = IntegerFactors::kPairs;
  std::span<const std::int32_t> ones;  // [step], weights of 1; empty: nobody wants sums of inputs
};

// False when the operands' planes are too large for the scratch memory; nothing is called then.
bool run_product(const FloatProduct& product, const FloatSink& sink);
bool run_product(const IntegerProduct& product, const IntegerSink& sink);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_DENSE_PRODUCT_H_
