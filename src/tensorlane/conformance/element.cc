#include "tensorlane/conformance/element.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

#include "tensorlane/tensor/float16.h"

namespace tensorlane::conformance {
namespace {

std::uint32_t load(std::span<const std::byte> bytes) {
  std::uint32_t value = 0;
  std::memcpy(&value, bytes.data(), std::min(bytes.size(), sizeof value));
  return value;
}

float to_float(Dtype dtype, std::uint32_t bits) {
  const DtypeInfo& info = dtype_info(dtype);
  if (!info.is_float || info.bits == 32) return std::bit_cast<float>(bits);
  return format_to_float(bits, info.format);
}

// Position among the values of the format, so that neighbours differ by 1 and both zeros by 0.
std::int64_t ordinal(Dtype dtype, std::uint32_t bits) {
  const std::uint32_t sign = std::uint32_t{1} << static_cast<unsigned>(dtype_bits(dtype) - 1);
  const auto magnitude = static_cast<std::int64_t>(bits & (sign - 1));
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

std::int64_t sign_extend(std::uint32_t bits, int width) {
  const auto shift = static_cast<unsigned>(64 - width);
  return static_cast<std::int64_t>(std::uint64_t{bits} << shift) >> shift;
}

}  // namespace

bool acceptable(const RecordedCase& recorded, std::span<const std::byte> actual,
                std::span<const std::byte> expected) {
  const std::uint32_t a = load(actual), e = load(expected);
  if (a == e) return true;
  const float value = to_float(recorded.dtype, a), wanted = to_float(recorded.dtype, e);
  if (std::isnan(wanted)) return recorded.any_nan && std::isnan(value);
  if (!recorded.tolerance || std::isnan(value)) return false;
  const std::int64_t ulp = std::abs(ordinal(recorded.dtype, a) - ordinal(recorded.dtype, e));
  return ulp <= recorded.tolerance->ulp ||
         std::abs(double{value} - double{wanted}) <= recorded.tolerance->absolute;
}

bool both_nan(Dtype dtype, std::span<const std::byte> a, std::span<const std::byte> b) {
  return std::isnan(to_float(dtype, load(a))) && std::isnan(to_float(dtype, load(b)));
}

std::string element_text(Dtype dtype, std::span<const std::byte> bytes) {
  const std::uint32_t bits = load(bytes);
  const DtypeInfo& info = dtype_info(dtype);
  const std::string hex = fmt::format("0x{:0{}x}", bits, (info.bits + 3) / 4);
  if (info.is_float) return fmt::format("{} = {}", hex, to_float(dtype, bits));
  if (dtype == Dtype::kX32)
    return fmt::format("{} = {} = {}f", hex, bits, std::bit_cast<float>(bits));
  if (info.is_signed) return fmt::format("{} = {}", hex, sign_extend(bits, info.bits));
  return fmt::format("{} = {}", hex, bits);
}

}  // namespace tensorlane::conformance
