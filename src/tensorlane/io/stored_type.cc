#include <algorithm>
#include <cstring>
#include <type_traits>

#include "tensorlane/base/error.h"
#include "tensorlane/io/stored_type_internal.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane::io_internal {
namespace {

bool is_int4(Dtype dtype) {
  return dtype == Dtype::kInt4 || dtype == Dtype::kUint4;
}

// One int8 or uint8 per element to packed nibbles. Unsigned bytes 8..15 are the bits of an int4.
std::vector<std::byte> pack_nibbles(const StoredType& stored, Dtype dtype,
                                    const std::vector<std::byte>& data, std::string_view where) {
  const bool is_signed = stored.kind == StoredType::Kind::kSigned;
  const int min = is_signed ? (dtype == Dtype::kInt4 ? -8 : 0) : 0;
  const int max = is_signed && dtype == Dtype::kInt4 ? 7 : 15;
  std::vector<std::byte> packed((data.size() + 1) / 2);
  for (std::size_t i = 0; i < data.size(); ++i) {
    const int value = is_signed ? static_cast<std::int8_t>(data[i]) : static_cast<int>(data[i]);
    if (value < min || value > max) {
      user_error("{}: element {} is {}, outside of {} to {} for {} stored as '{}'", where, i, value,
                 min, max, dtype_name(dtype), stored.spelling);
    }
    packed[i / 2] |= static_cast<std::byte>((value & 0xf) << (i % 2 == 0 ? 0 : 4));
  }
  return packed;
}

// Elements of 64 bits as those of 32: doubles are rounded, integers have to fit.
template <class Wide, class Narrow>
std::vector<std::byte> narrowed_elements(const std::vector<std::byte>& data,
                                         std::string_view where) {
  std::vector<std::byte> out(data.size() / 2);
  for (std::size_t i = 0; i < data.size() / sizeof(Wide); ++i) {
    Wide wide;
    std::memcpy(&wide, data.data() + i * sizeof wide, sizeof wide);
    const auto value = static_cast<Narrow>(wide);
    if constexpr (std::is_integral_v<Wide>) {
      if (static_cast<Wide>(value) != wide)
        user_error("{}: element {} is {}, which 32 bits cannot hold", where, i, wide);
    }
    std::memcpy(out.data() + i * sizeof value, &value, sizeof value);
  }
  return out;
}

std::vector<std::byte> narrowed_elements(Dtype narrow, const std::vector<std::byte>& data,
                                         std::string_view where) {
  if (narrow == Dtype::kInt32) return narrowed_elements<std::int64_t, std::int32_t>(data, where);
  if (narrow == Dtype::kUint32) return narrowed_elements<std::uint64_t, std::uint32_t>(data, where);
  return narrowed_elements<double, float>(data, where);
}

void swap_bytes(std::vector<std::byte>& data, int element_bytes) {
  const auto step = static_cast<std::size_t>(element_bytes);
  for (std::size_t i = 0; i + step <= data.size(); i += step) {
    std::reverse(data.begin() + static_cast<std::ptrdiff_t>(i),
                 data.begin() + static_cast<std::ptrdiff_t>(i + step));
  }
}

}  // namespace

std::uint64_t load_le(std::span<const std::byte> bytes, std::size_t offset, int size) {
  std::uint64_t value = 0;
  for (int i = size - 1; i >= 0; --i) {
    value =
        value << 8 | std::to_integer<std::uint64_t>(bytes[offset + static_cast<std::size_t>(i)]);
  }
  return value;
}

void append_le(std::vector<std::byte>& bytes, std::uint64_t value, int size) {
  for (int i = 0; i < size; ++i) bytes.push_back(static_cast<std::byte>(value >> (8 * i)));
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string printable(std::string_view text) {
  constexpr std::size_t kLimit = 300;
  std::string out;
  for (char c : text.substr(0, kLimit)) {
    const auto code = static_cast<unsigned char>(c);
    out += code < ' ' || code == 0x7f ? fmt::format("\\x{:02x}", code) : std::string(1, c);
  }
  return text.size() > kLimit ? out + "..." : out;
}

Dtype resolve_dtype(const StoredType& stored, std::optional<Dtype> wanted, std::string_view where) {
  using Kind = StoredType::Kind;
  if (!wanted) {
    if (stored.dtype) return *stored.dtype;
    if (stored.kind == Kind::kRaw) {
      user_error("{}: elements are raw bytes ('{}'); say which dtype they are", where,
                 stored.spelling);
    }
    if (stored.narrowed()) {
      user_error("{}: elements of type '{}' exist on none of the chips; read them as {}", where,
                 stored.spelling, dtype_name(*stored.narrowed()));
    }
    user_error(
        "{}: elements of type '{}' exist on none of the chips; convert the array first, for "
        "instance to float32 or int32",
        where, stored.spelling);
  }
  if (stored.dtype == wanted || stored.narrowed() == wanted) return *wanted;
  const bool integer_bits = stored.kind == Kind::kSigned || stored.kind == Kind::kUnsigned;
  const bool has_bits = integer_bits || stored.kind == Kind::kRaw;
  if (has_bits && stored.bytes * 8 == dtype_bits(*wanted)) return *wanted;
  if (integer_bits && stored.bytes == 1 && is_int4(*wanted)) return *wanted;
  user_error(
      "{}: elements of type '{}' cannot be read as {}; only integers or raw bytes can be read as "
      "another dtype, of the same width (4-bit types: from one 8-bit integer per element)",
      where, stored.spelling, dtype_name(*wanted));
}

Tensor make_tensor(const StoredType& stored, Dtype dtype, Shape shape, std::vector<std::byte> data,
                   std::string_view where) {
  if (stored.big_endian) swap_bytes(data, stored.bytes);
  if (stored.narrowed()) data = narrowed_elements(*stored.narrowed(), data, where);
  if (is_int4(dtype)) data = pack_nibbles(stored, dtype, data, where);
  return {dtype, std::move(shape), std::move(data)};
}

std::span<const std::byte> stored_elements(const Tensor& tensor, std::vector<std::byte>& buffer) {
  if (!is_int4(tensor.dtype)) return tensor.data;
  buffer.resize(static_cast<std::size_t>(element_count(tensor.shape, "tensor")));
  convert_elements(buffer.data(), tensor.dtype == Dtype::kInt4 ? Dtype::kInt8 : Dtype::kUint8,
                   tensor.data.data(), tensor.dtype, buffer.size());
  return buffer;
}

}  // namespace tensorlane::io_internal
