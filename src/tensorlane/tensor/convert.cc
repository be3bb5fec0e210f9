#include "tensorlane/tensor/convert.h"

#include <cstring>

#include "tensorlane/base/error.h"
#include "tensorlane/tensor/int4.h"

namespace tensorlane {
namespace {

bool is_raw(Dtype dtype) {
  return dtype == Dtype::kX8 || dtype == Dtype::kX16 || dtype == Dtype::kX32;
}

// Formats with the exponent range of fp32: those whose denormals the chips flush.
bool has_fp32_range(Dtype dtype) {
  return dtype == Dtype::kFp32 || dtype == Dtype::kBf16;
}

std::int64_t integer_value(std::uint32_t bits, Dtype dtype) {
  const DtypeInfo& info = dtype_info(dtype);
  const int unused = 64 - info.bits;
  const std::uint64_t top = std::uint64_t{bits} << unused;
  return info.is_signed ? static_cast<std::int64_t>(top) >> unused
                        : static_cast<std::int64_t>(top >> unused);
}

std::uint32_t low_bits(std::uint32_t bits, int count) {
  return count == 32 ? bits : bits & ((std::uint32_t{1} << count) - 1);
}

std::uint32_t float_result(const Real& real, Dtype dst, const ConvertOptions& options) {
  const FloatFormat& format = float_format(dst);
  const std::uint32_t bits = pack(real, format, options.rounding, options.overflow, options.nan);
  const bool flush = options.flush_results && has_fp32_range(dst) && is_denormal(bits, format);
  return flush ? bits & format.sign_bit() : bits;
}

std::uint32_t integer_result(std::int64_t value, Dtype dst) {
  const IntegerRange range = integer_range(dst);
  return low_bits(static_cast<std::uint32_t>(std::clamp(value, range.min, range.max)),
                  dtype_bits(dst));
}

std::uint32_t load_element(const std::uint8_t* data, Dtype dtype, std::size_t index) {
  if (dtype_bits(dtype) == 4) return get_nibble(data, index);
  const auto size = static_cast<std::size_t>(dtype_bytes(dtype));
  std::uint32_t bits = 0;
  std::memcpy(&bits, data + index * size, size);
  return bits;
}

void store_element(std::uint8_t* data, Dtype dtype, std::size_t index, std::uint32_t bits) {
  if (dtype_bits(dtype) == 4) {
    if (index % 2 == 0) data[index / 2] = 0;
    set_nibble(data, index, static_cast<std::uint8_t>(bits));
    return;
  }
  const auto size = static_cast<std::size_t>(dtype_bytes(dtype));
  std::memcpy(data + index * size, &bits, size);
}

}  // namespace

const FloatFormat& float_format(Dtype dtype) {
  const DtypeInfo& info = dtype_info(dtype);
  TL_INTERNAL_CHECK(info.is_float);
  return info.format;
}

ConvertOptions tpu_cast_options(Dtype dst, Dtype src, RoundingMode mode) {
  ConvertOptions options;
  options.rounding = mode;
  // A widening of bf16 is a bit shift: NaN payloads and denormals stay.
  if (dst == Dtype::kFp32 && src == Dtype::kBf16) return options;
  options.nan = NanRule::kCanonical;
  options.nan_is_zero = true;
  options.overflow = dtype_info(src).is_float ? OverflowRule::kInfinity : OverflowRule::kByMode;
  options.flush_results = true;
  options.flush_operands = dtype_info(dst).is_float;
  return options;
}

bool converts_values(Dtype dst, Dtype src) {
  return dst != src && !is_raw(dst) && !is_raw(src);
}

void check_conversion(Dtype dst, Dtype src, const ConvertOptions& options) {
  if ((is_raw(dst) || is_raw(src)) && dtype_bits(dst) != dtype_bits(src)) {
    user_error(
        "cannot convert {} to {}: a raw type names bits without a meaning and converts only to or "
        "from types of its own width",
        dtype_name(src), dtype_name(dst));
  }
  const bool rounds =
      converts_values(dst, src) && (dtype_info(src).is_float || dtype_info(dst).is_float);
  if (rounds && !legal_for_floats(options.rounding)) {
    user_error(
        "rounding mode '{}' for {} to {}: conversions from or to a float take half_to_even, "
        "half_away_from_zero, towards_zero, down or up (half_up and half_down exist for right "
        "shifts of integers only)",
        rounding_mode_name(options.rounding), dtype_name(src), dtype_name(dst));
  }
}

std::uint32_t convert_element(std::uint32_t bits, Dtype dst, Dtype src,
                              const ConvertOptions& options) {
  bits = low_bits(bits, dtype_bits(src));
  if (!converts_values(dst, src)) return bits;
  if (!dtype_info(src).is_float) {
    const std::int64_t value = integer_value(bits, src);
    return dtype_info(dst).is_float ? float_result(Real::from_integer(value), dst, options)
                                    : integer_result(value, dst);
  }
  const FloatFormat& format = float_format(src);
  if (options.flush_operands && has_fp32_range(src) && is_denormal(bits, format)) {
    bits &= format.sign_bit();
  }
  const Real real = unpack(bits, format);
  if (dtype_info(dst).is_float) {
    // Widening bf16 is a bit shift: a NaN is not even made quiet.
    const bool is_shift = src == Dtype::kBf16 && dst == Dtype::kFp32;
    if (is_shift && options.nan == NanRule::kKeep && real.kind == Real::Kind::kNan) {
      return bits << 16;
    }
    return float_result(real, dst, options);
  }
  if (real.kind == Real::Kind::kNan)
    return integer_result(options.nan_is_zero ? 0 : integer_range(dst).min, dst);
  return integer_result(to_integer(real, options.rounding), dst);
}

void convert_elements_reference(void* dst, Dtype dst_dtype, const void* src, Dtype src_dtype,
                                std::size_t count, const ConvertOptions& options) {
  check_conversion(dst_dtype, src_dtype, options);
  auto* out = static_cast<std::uint8_t*>(dst);
  const auto* in = static_cast<const std::uint8_t*>(src);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = load_element(in, src_dtype, i);
    store_element(out, dst_dtype, i, convert_element(bits, dst_dtype, src_dtype, options));
  }
}

}  // namespace tensorlane
