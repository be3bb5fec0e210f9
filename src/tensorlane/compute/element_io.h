// Single elements of any dtype, as the reference implementations read and write them.
//
// Floats are read as the host's float, exactly; integers as std::int64_t. A float is stored by
// tpu_bdc_cast's rule to the nearest (NaN 0x7fff in 16 bits, bf16 denormals flushed), an integer by
// its low bits, so that a caller who wants saturation saturates first.
#ifndef TENSORLANE_COMPUTE_ELEMENT_IO_H_
#define TENSORLANE_COMPUTE_ELEMENT_IO_H_

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "tensorlane/tensor/convert.h"
#include "tensorlane/tensor/dtype.h"
#include "tensorlane/tensor/float16.h"

namespace tensorlane {

inline std::uint32_t load_bits(const std::byte* from, Dtype dtype) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, from, static_cast<std::size_t>(dtype_bytes(dtype)));
  return bits;
}

inline void store_bits(std::byte* to, Dtype dtype, std::uint32_t bits) {
  std::memcpy(to, &bits, static_cast<std::size_t>(dtype_bytes(dtype)));
}

inline float bits_to_float(std::uint32_t bits, Dtype dtype) {
  if (dtype == Dtype::kFp16) return fp16_to_float(static_cast<std::uint16_t>(bits));
  if (dtype == Dtype::kBf16) return bf16_to_float(static_cast<std::uint16_t>(bits));
  return std::bit_cast<float>(bits);
}

inline std::int64_t bits_to_integer(std::uint32_t bits, Dtype dtype) {
  const DtypeInfo& info = dtype_info(dtype);
  const int unused = 64 - info.bits;
  const std::uint64_t top = std::uint64_t{bits} << unused;
  return info.is_signed ? static_cast<std::int64_t>(top) >> unused
                        : static_cast<std::int64_t>(top >> unused);
}

inline std::uint32_t float_to_bits(float value, Dtype dtype) {
  return convert_element(std::bit_cast<std::uint32_t>(value), dtype, Dtype::kFp32,
                         tpu_cast_options(dtype, Dtype::kFp32, RoundingMode::kHalfToEven));
}

inline float load_float(const std::byte* from, Dtype dtype) {
  return bits_to_float(load_bits(from, dtype), dtype);
}
inline std::int64_t load_integer(const std::byte* from, Dtype dtype) {
  return bits_to_integer(load_bits(from, dtype), dtype);
}
inline void store_float(std::byte* to, Dtype dtype, float value) {
  store_bits(to, dtype, float_to_bits(value, dtype));
}
inline void store_integer(std::byte* to, Dtype dtype, std::int64_t value) {
  store_bits(to, dtype, static_cast<std::uint32_t>(value));
}

}  // namespace tensorlane

#endif  // TENSORLANE_COMPUTE_ELEMENT_IO_H_
