#include "tensorlane/products/dense_words.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

#include "tensorlane/products/element_io.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {
namespace {

// What bias and rounding may add to a sum without leaving 32 bits.
constexpr std::int64_t kHeadroom = std::int64_t{1} << 30;
constexpr int kMostShift = 28;
constexpr std::int64_t kMostBias = std::int64_t{1} << 20;

// Half-up shift and saturation in 32 bits, which compilers vectorise.
template <class T>
void finish_half_up(const std::int32_t* sums, int count, std::int32_t bias,
                    const IntegerFinish& finish, std::byte* to) {
  const int shift = -finish.shift;
  const std::int32_t addend = bias + (shift > 0 ? 1 << (shift - 1) : 0);
  const IntegerRange range = integer_range(finish.output);
  const auto low = static_cast<std::int32_t>(finish.relu ? 0 : range.min);
  const auto high = static_cast<std::int32_t>(range.max);
  for (int i = 0; i < count; ++i) {
    const auto value = static_cast<T>(std::clamp((sums[i] + addend) >> shift, low, high));
    std::memcpy(to + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof value);
  }
}

// 32-bit results that only wrap.
void finish_wrapping(const std::int32_t* sums, int count, const IntegerRun& run, std::byte* to) {
  const auto bias = static_cast<std::uint32_t>(run.bias);
  for (int i = 0; i < count; ++i, to += sizeof bias) {
    std::uint32_t sum = static_cast<std::uint32_t>(sums[i]) + bias;
    if (run.result_add) sum += load_bits(to, Dtype::kUint32) << run.finish.left_shift;
    std::memcpy(to, &sum, sizeof sum);
  }
}

bool only_wraps(const IntegerRun& run) {
  const IntegerFinish& finish = run.finish;
  return !finish.saturate && !finish.relu && finish.multiplier == 1 && finish.shift == 0 &&
         finish.left_shift < 32 && run.biases == nullptr && run.shifts == nullptr &&
         dtype_bytes(finish.output) == 4;
}

bool is_plain_half_up(const IntegerRun& run) {
  const IntegerFinish& finish = run.finish;
  return finish.saturate && finish.multiplier == 1 && finish.rounding == RoundingMode::kHalfUp &&
         finish.shift <= 0 && finish.shift >= -kMostShift && !run.result_add &&
         run.biases == nullptr && run.shifts == nullptr && run.bias >= -kMostBias &&
         run.bias <= kMostBias && dtype_bytes(finish.output) < 4;
}

}  // namespace

template <>
float word_of(std::uint32_t bits, Dtype dtype) {
  return bits_to_float(bits, dtype);
}
template <>
std::int32_t word_of(std::uint32_t bits, Dtype dtype) {
  return static_cast<std::int32_t>(bits_to_integer(bits, dtype));
}

template <class Word>
void widen(const std::byte* from, std::int64_t step, Dtype dtype, int count, Word* to) {
  if (step == 1) {
    convert_elements(to, std::is_same_v<Word, float> ? Dtype::kFp32 : Dtype::kInt32, from, dtype,
                     static_cast<std::size_t>(count));
    return;
  }
  const std::int64_t bytes = step * dtype_bytes(dtype);
  for (int i = 0; i < count; ++i) to[i] = word_of<Word>(load_bits(from + i * bytes, dtype), dtype);
}
template void widen(const std::byte*, std::int64_t, Dtype, int, float*);
template void widen(const std::byte*, std::int64_t, Dtype, int, std::int32_t*);

bool any_special(std::span<const float> numbers) {
  constexpr std::uint32_t kExponent = 0x7F800000U;
  std::uint32_t found = 0;
  for (const float number : numbers) {
    found |=
        static_cast<std::uint32_t>((std::bit_cast<std::uint32_t>(number) & kExponent) == kExponent);
  }
  return found != 0;
}

bool fits_int16(Dtype dtype) {
  return dtype_bytes(dtype) == 1 || dtype == Dtype::kInt16;
}

void store_floats(const float* sums, int count, Dtype dtype, std::byte* to) {
  convert_elements(to, dtype, sums, Dtype::kFp32, static_cast<std::size_t>(count),
                   tpu_cast_options(dtype, Dtype::kFp32, RoundingMode::kHalfToEven));
}

bool exact_in_words(const IntegerFinish& finish, std::int64_t steps, Dtype left, Dtype right) {
  const bool only_low_bits =
      !finish.saturate && !finish.relu && finish.shift == 0 && finish.multiplier == 1;
  if (only_low_bits) return true;
  if (dtype_bytes(left) > 1 || dtype_bytes(right) > 1) return false;
  constexpr std::int64_t kMostProduct = 255 * 383;  // 383: an unsigned number less a signed one
  return steps < kHeadroom / kMostProduct;
}

void store_integers(const std::int32_t* sums, int count, const IntegerRun& run, std::byte* to) {
  const IntegerFinish& finish = run.finish;
  if (only_wraps(run)) return finish_wrapping(sums, count, run, to);
  if (is_plain_half_up(run)) {
    const auto bias = static_cast<std::int32_t>(run.bias);
    switch (finish.output) {
      case Dtype::kInt8:
        return finish_half_up<std::int8_t>(sums, count, bias, finish, to);
      case Dtype::kUint8:
        return finish_half_up<std::uint8_t>(sums, count, bias, finish, to);
      case Dtype::kInt16:
        return finish_half_up<std::int16_t>(sums, count, bias, finish, to);
      default:
        return finish_half_up<std::uint16_t>(sums, count, bias, finish, to);
    }
  }
  const int bytes = dtype_bytes(finish.output);
  IntegerFinish each = finish;
  for (int i = 0; i < count; ++i, to += bytes) {
    std::int64_t sum = sums[i] + run.bias;
    if (run.biases != nullptr) sum += run.biases[i];
    if (run.result_add) sum += load_integer(to, finish.output) << finish.left_shift;
    if (run.shifts != nullptr) each.shift = run.shifts[i];
    store_integer(to, finish.output, each.apply(sum));
  }
}

}  // namespace tensorlane
