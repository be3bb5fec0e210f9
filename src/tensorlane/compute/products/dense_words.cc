#include "tensorlane/compute/products/dense_words.h"

#include <cstring>
#include <type_traits>

#include "tensorlane/compute/element_io.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {
template <>
float word_of(std::uint32_t bits, Dtype dtype) {
  return bits_to_float(bits, dtype);
}
template <>
std::int32_t word_of(std::uint32_t bits, Dtype dtype) {
  return static_cast<std::int32_t>(bits_to_integer(bits, dtype));
}

namespace {

bool is_short(Dtype dtype) {
  return dtype == Dtype::kInt8 || dtype == Dtype::kUint8 || dtype == Dtype::kInt16 ||
         dtype == Dtype::kUint16;
}

}  // namespace

template <class Word>
void widen(const std::byte* from, std::int64_t step, Dtype dtype, int count, Word* to) {
  if constexpr (std::is_same_v<Word, float>) {
    if (step == 1 && (dtype == Dtype::kFp16 || dtype == Dtype::kBf16))
      return widen_halves(from, dtype, count, to);
    if (step == 1 && dtype_bytes(dtype) == 1 && dtype_info(dtype).is_float)
      return widen_fp8(from, dtype, count, to);
  } else if (step == 1 && is_short(dtype)) {
    return widen_short_integers(from, dtype, count, to);
  }
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

bool fits_int16(Dtype dtype) {
  return dtype_bytes(dtype) == 1 || dtype == Dtype::kInt16;
}

void store_floats(const float* sums, int count, Dtype dtype, std::byte* to) {
  if (dtype == Dtype::kFp16 || dtype == Dtype::kBf16)
    return narrow_to_halves(sums, dtype, count, to);
  if (dtype == Dtype::kFp32) {
    std::memcpy(to, sums, static_cast<std::size_t>(count) * sizeof(float));
    return;
  }
  convert_elements(to, dtype, sums, Dtype::kFp32, static_cast<std::size_t>(count),
                   tpu_cast_options(dtype, Dtype::kFp32, RoundingMode::kHalfToEven));
}

void store_float_rows(const WordRows<float>& rows, Dtype dtype) {
  if (dtype == Dtype::kFp16 || dtype == Dtype::kBf16) return narrow_rows_to_halves(rows, dtype);
  rows.for_each(
      [&](const float* from, std::byte* to) { store_floats(from, rows.columns, dtype, to); });
}

}  // namespace tensorlane
