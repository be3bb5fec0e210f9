#include "tensorlane/inspect/value.h"

#include <fmt/format.h>

#include <bit>

#include "tensorlane/tensor/float16.h"
#include "tensorlane/tensor/int4.h"

namespace tensorlane::inspect {
namespace {

// Decimal digits that name every number of the format.
int digits_of(const FloatFormat& format) {
  return 2 + (format.mantissa_bits + 1) * 30103 / 100000;
}

std::string number_text(std::uint32_t bits, Dtype dtype) {
  const double value = value_of(bits, dtype);
  if (dtype == Dtype::kFp32) return fmt::format("{}", static_cast<float>(value));
  if (dtype_info(dtype).is_float)
    return fmt::format("{:.{}g}", value, digits_of(float_format(dtype)));
  return fmt::format("{}", static_cast<std::int64_t>(value));
}

}  // namespace

Dtype readable(Dtype dtype) {
  switch (dtype) {
    case Dtype::kX8:
      return Dtype::kInt8;
    case Dtype::kX16:
      return Dtype::kInt16;
    case Dtype::kX32:
      return Dtype::kFp32;
    default:
      return dtype;
  }
}

double value_of(std::uint32_t bits, Dtype dtype) {
  switch (const Dtype type = readable(dtype)) {
    case Dtype::kInt4:
      return sign_extend_nibble(static_cast<std::uint8_t>(bits & 0xf));
    case Dtype::kUint4:
      return bits & 0xf;
    case Dtype::kInt8:
      return static_cast<std::int8_t>(bits);
    case Dtype::kUint8:
      return static_cast<std::uint8_t>(bits);
    case Dtype::kInt16:
      return static_cast<std::int16_t>(bits);
    case Dtype::kUint16:
      return static_cast<std::uint16_t>(bits);
    case Dtype::kInt32:
      return static_cast<std::int32_t>(bits);
    case Dtype::kUint32:
      return bits;
    case Dtype::kFp32:
      return std::bit_cast<float>(bits);
    default: {
      const std::uint32_t mask = (std::uint32_t{1} << dtype_bits(type)) - 1;
      return format_to_float(bits & mask, float_format(type));
    }
  }
}

std::string value_text(std::uint32_t bits, Dtype dtype) {
  const std::string text = number_text(bits, readable(dtype));
  if (readable(dtype) == dtype) return text;
  const int width = dtype_bits(dtype);
  const std::uint32_t mask = width == 32 ? ~std::uint32_t{0} : (std::uint32_t{1} << width) - 1;
  return fmt::format("{} ({:#0{}x})", text, bits & mask, 2 + width / 4);
}

}  // namespace tensorlane::inspect
