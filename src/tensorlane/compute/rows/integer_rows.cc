#include "tensorlane/compute/rows/integer_rows.h"

#include <limits>

namespace tensorlane {
namespace {

template <class T>
std::int32_t widened(const std::byte* at) {
  return static_cast<std::int32_t>(load_element<T>(at));  // NOLINT(bugprone-signed-char-misuse)
}

template <class T>
void load(const std::byte* from, std::int64_t step, int count, std::int32_t* to) {
  if (step == sizeof(T)) {
    for (int i = 0; i < count; ++i) to[i] = widened<T>(from + i * sizeof(T));
  } else if (step == 0) {
    std::fill_n(to, count, widened<T>(from));
  } else {
    for (int i = 0; i < count; ++i) to[i] = widened<T>(from + i * step);
  }
}

template <class T, bool kSaturate = true>
void store(const std::int32_t* from, int count, std::byte* to, std::int64_t step) {
  const auto convert = [](std::int32_t value) {
    if constexpr (kSaturate) {
      value = std::clamp<std::int32_t>(value, std::numeric_limits<T>::min(),
                                       std::numeric_limits<T>::max());
    }
    return static_cast<T>(value);
  };
  if (step == sizeof(T)) {
    for (int i = 0; i < count; ++i) {
      const T value = convert(from[i]);
      std::memcpy(to + i * sizeof(T), &value, sizeof(T));
    }
  } else {
    for (int i = 0; i < count; ++i) {
      const T value = convert(from[i]);
      std::memcpy(to + i * step, &value, sizeof(T));
    }
  }
}

[[noreturn]] void unknown(Dtype dtype) {
  internal_error_at(__FILE__, __LINE__, fmt::format("no integer rows for {}", dtype_name(dtype)));
}

}  // namespace

void load_integers(const std::byte* from, std::int64_t step, Dtype dtype, int count,
                   std::int32_t* to) {
  switch (dtype) {
    case Dtype::kInt8:
      return load<std::int8_t>(from, step, count, to);
    case Dtype::kX8:
    case Dtype::kUint8:
      return load<std::uint8_t>(from, step, count, to);
    case Dtype::kInt16:
      return load<std::int16_t>(from, step, count, to);
    case Dtype::kX16:
    case Dtype::kUint16:
      return load<std::uint16_t>(from, step, count, to);
    case Dtype::kInt32:
      return load<std::int32_t>(from, step, count, to);
    default:
      unknown(dtype);
  }
}

void store_integers(const std::int32_t* from, int count, Dtype dtype, std::byte* to,
                    std::int64_t step) {
  switch (dtype) {
    case Dtype::kInt8:
      return store<std::int8_t>(from, count, to, step);
    case Dtype::kUint8:
      return store<std::uint8_t>(from, count, to, step);
    case Dtype::kInt16:
      return store<std::int16_t>(from, count, to, step);
    case Dtype::kUint16:
      return store<std::uint16_t>(from, count, to, step);
    case Dtype::kX8:
      return store<std::uint8_t, false>(from, count, to, step);
    case Dtype::kX16:
      return store<std::uint16_t, false>(from, count, to, step);
    default:
      unknown(dtype);
  }
}

Dtype integer_type(const Command& command, const IntegerSource& source) {
  if (const Operand* operand = command.find(source.param)) return operand->layout.dtype();
  return source.constant ? source.constant(command) : Dtype::kInt32;
}

}  // namespace tensorlane
