// Operands of any type as 32-bit words, in the form dense_product.h takes them: floats of every
// format as fp32, integers of every width as std::int32_t.
#ifndef TENSORLANE_COMPUTE_PRODUCTS_DENSE_WORDS_H_
#define TENSORLANE_COMPUTE_PRODUCTS_DENSE_WORDS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "tensorlane/compute/bands/kept_words.h"
#include "tensorlane/compute/bands/padded_rows.h"
#include "tensorlane/compute/tiles/product_rules.h"
#include "tensorlane/tensor/dtype.h"

namespace tensorlane {

// One element as a word: float for a floating point type, std::int32_t for an integer type.
template <class Word>
Word word_of(std::uint32_t bits, Dtype dtype);

// `count` elements, `step` elements apart.
template <class Word>
void widen(const std::byte* from, std::int64_t step, Dtype dtype, int count, Word* to);

// Whether a number among them is infinite or NaN.
bool any_special(std::span<const float> numbers);

// `count` numbers of 16 bits, kFp16 or kBf16, as fp32, and back, rounded to nearest even with NaN
// 0x7fff and denormal bf16 flushed.
void widen_halves(const std::byte* from, Dtype dtype, std::int64_t count, float* to);
void narrow_to_halves(const float* from, Dtype dtype, std::int64_t count, std::byte* to);
void narrow_rows_to_halves(const WordRows<float>& rows, Dtype dtype);

// `count` numbers of 8 bits, kFp8E4M3 or kFp8E5M2, as fp32.
void widen_fp8(const std::byte* from, Dtype dtype, std::int64_t count, float* to);

// `count` integers of 8 or 16 bits as words.
void widen_short_integers(const std::byte* from, Dtype dtype, std::int64_t count, std::int32_t* to);
// to[i] = low[i] and high[i], two integers of 8 or 16 bits, as 16 bits each; a null `high` is
// zeros.
void zip_short_integers(const std::byte* low, const std::byte* high, Dtype dtype,
                        std::int64_t count, std::int32_t* to);

// Whether an operand of a product has such numbers, as far as it was read. Several threads look at
// parts of their own; each knows of its parts.
class SpecialNumbers {
 public:
  // Only the rule kBlockSums asks.
  explicit SpecialNumbers(ProductRule rule) : matters_(rule == ProductRule::kBlockSums) {}
  void look_at(std::span<const float> numbers) {
    if (matters_ && any_special(numbers)) seen_.store(true, std::memory_order_relaxed);
  }
  bool seen() const { return seen_.load(std::memory_order_relaxed); }

 private:
  const bool matters_;
  std::atomic<bool> seen_ = false;
};

// Whether all values of an integer type fit 16 bits with a sign.
bool fits_int16(Dtype dtype);

// What the sums of `count` outputs start with, in the form of FloatSink::start: a bias each,
// `bias_step` numbers apart, and what `read_old` reads, either null where there is none. A chain
// that starts with nothing is left as it is, which is zero.
template <class ReadOld>
void write_starts(ProductRule rule, int count, const float* bias, int bias_step,
                  const ReadOld* read_old, float* first, float* second) {
  const bool chains = rule == ProductRule::kFp32Chains;
  float* const last = chains ? second : first;
  if (read_old != nullptr) (*read_old)(last);
  if (bias == nullptr) return;
  if (read_old == nullptr || chains) {
    float* const to = read_old == nullptr ? last : first;
    for (int i = 0; i < count; ++i) to[i] = bias[i * bias_step];
  } else {
    for (int i = 0; i < count; ++i) first[i] = bias[i * bias_step] + first[i];
  }
}

// Stores a run of finished sums: floats to the nearest number of the type.
void store_floats(const float* sums, int count, Dtype dtype, std::byte* to);
// The same for rows of sums.
void store_float_rows(const WordRows<float>& rows, Dtype dtype);
// Rows of bf16 numbers that were widened, bit for bit.
void store_bf16_bits(const WordRows<float>& rows);
// Rows of numbers of the type, kFp16 or kBf16, none of them denormal if that is bf16, with NaN
// 0x7fff. They are read by vectors: behind the last row there are as many numbers as one has.
void store_rounded_rows(const WordRows<float>& rows, Dtype dtype);

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_PRODUCTS_DENSE_WORDS_H_
