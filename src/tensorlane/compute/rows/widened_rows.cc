#include "tensorlane/compute/rows/widened_rows.h"

#include <array>
#include <memory>
#include <numeric>
#include <utility>

#include "tensorlane/base/error.h"
#include "tensorlane/compute/rows/half_arrays.h"
#include "tensorlane/ops/dispatch.h"
#include "tensorlane/tensor/convert.h"

namespace tensorlane {
namespace {

template <class T, class Wide>
void load_as(const std::byte* from, std::int64_t step, std::size_t count, Wide* to) {
  if (step == sizeof(T)) {
    for (std::size_t i = 0; i < count; ++i)
      to[i] = static_cast<Wide>(load_element<T>(from + i * sizeof(T)));
    return;
  }
  for (std::size_t i = 0; i < count; ++i, from += step)
    to[i] = static_cast<Wide>(load_element<T>(from));
}

template <class T, class Wide>
void store_as(std::byte* to, std::int64_t step, std::size_t count, const Wide* from) {
  if (step == sizeof(T)) {
    for (std::size_t i = 0; i < count; ++i)
      store_element(to + i * sizeof(T), static_cast<T>(from[i]));
    return;
  }
  for (std::size_t i = 0; i < count; ++i, to += step) store_element(to, static_cast<T>(from[i]));
}

// 16-bit floats go through the vector conversions, a chunk at a time.
template <Dtype kDtype>
void load_half(const std::byte* from, std::int64_t step, std::size_t count, float* to) {
  std::array<std::uint16_t, kWideChunk> halves;
  if (step != 2) {
    for (std::size_t i = 0; i < count; ++i)
      halves[i] = load_element<std::uint16_t>(from + static_cast<std::int64_t>(i) * step);
    from = reinterpret_cast<const std::byte*>(halves.data());
  }
  widen_halves(kDtype, from, count, to);
}

template <Dtype kDtype>
void store_half(std::byte* to, std::int64_t step, std::size_t count, const float* from) {
  if (step == 2) return narrow_to_halves(kDtype, from, count, to);
  std::array<std::uint16_t, kWideChunk> halves;
  narrow_to_halves(kDtype, from, count, reinterpret_cast<std::byte*>(halves.data()));
  for (std::size_t i = 0; i < count; ++i)
    store_element(to + static_cast<std::int64_t>(i) * step, halves[i]);
}

// Of 8-bit floats there are so few that all are known.
template <Dtype kDtype>
std::array<float, 256> every_number() {
  std::array<std::uint8_t, 256> bytes;
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  std::array<float, 256> numbers;
  convert_elements(numbers.data(), Dtype::kFp32, bytes.data(), kDtype, bytes.size(),
                   tpu_cast_options(Dtype::kFp32, kDtype, RoundingMode::kHalfToEven));
  return numbers;
}
template <Dtype kDtype>
void load_byte(const std::byte* from, std::int64_t step, std::size_t count, float* to) {
  static const std::array<float, 256> kNumbers = every_number<kDtype>();
  for (std::size_t i = 0; i < count; ++i, from += step)
    to[i] = kNumbers[static_cast<std::uint8_t>(*from)];
}

template <Dtype kDtype>
void store_byte(std::byte* to, std::int64_t step, std::size_t count, const float* from) {
  std::array<std::byte, kWideChunk> bytes;
  std::byte* const dense = step == 1 ? to : bytes.data();
  convert_elements(dense, kDtype, from, Dtype::kFp32, count,
                   tpu_cast_options(kDtype, Dtype::kFp32, RoundingMode::kHalfToEven));
  if (step == 1) return;
  for (std::size_t i = 0; i < count; ++i) to[static_cast<std::int64_t>(i) * step] = bytes[i];
}

[[noreturn]] void no_row(Dtype dtype) {
  internal_error_at(__FILE__, __LINE__, fmt::format("no rows of {}", dtype_name(dtype)));
}

}  // namespace

template <>
LoadRow<float> load_row<float>(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp32:
      return load_as<float, float>;
    case Dtype::kFp16:
      return load_half<Dtype::kFp16>;
    case Dtype::kBf16:
      return load_half<Dtype::kBf16>;
    case Dtype::kFp8E4M3:
      return load_byte<Dtype::kFp8E4M3>;
    case Dtype::kFp8E5M2:
      return load_byte<Dtype::kFp8E5M2>;
    default:
      no_row(dtype);
  }
}

template <>
StoreRow<float> store_row<float>(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp32:
      return store_as<float, float>;
    case Dtype::kFp16:
      return store_half<Dtype::kFp16>;
    case Dtype::kBf16:
      return store_half<Dtype::kBf16>;
    case Dtype::kFp8E4M3:
      return store_byte<Dtype::kFp8E4M3>;
    case Dtype::kFp8E5M2:
      return store_byte<Dtype::kFp8E5M2>;
    default:
      no_row(dtype);
  }
}

template <>
LoadRow<std::int64_t> load_row<std::int64_t>(Dtype dtype) {
  switch (dtype) {
    case Dtype::kInt8:
      return load_as<std::int8_t, std::int64_t>;
    case Dtype::kUint8:
      return load_as<std::uint8_t, std::int64_t>;
    case Dtype::kInt16:
      return load_as<std::int16_t, std::int64_t>;
    case Dtype::kUint16:
      return load_as<std::uint16_t, std::int64_t>;
    case Dtype::kInt32:
      return load_as<std::int32_t, std::int64_t>;
    case Dtype::kUint32:
      return load_as<std::uint32_t, std::int64_t>;
    default:
      no_row(dtype);
  }
}

template <>
StoreRow<std::int64_t> store_row<std::int64_t>(Dtype dtype) {
  switch (dtype_info(dtype).is_float ? 0 : dtype_bits(dtype)) {
    case 8:
      return store_as<std::uint8_t, std::int64_t>;
    case 16:
      return store_as<std::uint16_t, std::int64_t>;
    case 32:
      return store_as<std::uint32_t, std::int64_t>;
    default:
      no_row(dtype);
  }
}

template <>
LoadRow<std::uint32_t> load_row<std::uint32_t>(Dtype dtype) {
  switch (dtype_bits(dtype)) {
    case 8:
      return load_as<std::uint8_t, std::uint32_t>;
    case 16:
      return load_as<std::uint16_t, std::uint32_t>;
    default:
      return load_as<std::uint32_t, std::uint32_t>;
  }
}

template <>
StoreRow<std::uint32_t> store_row<std::uint32_t>(Dtype dtype) {
  switch (dtype_bits(dtype)) {
    case 8:
      return store_as<std::uint8_t, std::uint32_t>;
    case 16:
      return store_as<std::uint16_t, std::uint32_t>;
    default:
      return store_as<std::uint32_t, std::uint32_t>;
  }
}

namespace {

bool is_half(Dtype dtype) {
  return dtype == Dtype::kFp16 || dtype == Dtype::kBf16;
}
constexpr std::int64_t kHalfBytes = 2, kFloatBytes = 4;

}  // namespace

bool widen_half_part(Dtype dtype, const Row& part, std::size_t source, float* to) {
  if (!is_half(dtype) || part.src_step[source] != kHalfBytes) return false;
  Row rows = part;
  swap_sources(rows, 0, source);
  rows.dst = reinterpret_cast<std::byte*>(to);
  rows.dst_step = kFloatBytes;
  rows.dst_next = part.count * kFloatBytes;
  rows.dst_block = part.rows * rows.dst_next;
  widen_half_rows(dtype, rows);
  return true;
}

bool narrow_half_part(Dtype dtype, const Row& part, const float* from) {
  if (!is_half(dtype) || part.dst_step != kHalfBytes) return false;
  Row rows = part;
  rows.src[0] = reinterpret_cast<const std::byte*>(from);
  rows.src_step[0] = kFloatBytes;
  rows.src_next[0] = part.count * kFloatBytes;
  rows.src_block[0] = part.rows * rows.src_next[0];
  narrow_to_half_rows(dtype, rows);
  return true;
}

Dtype type_in(const Command& command, std::string_view dtype_param) {
  return command.arg(dtype_param).dtype();
}

Dtype type_of(const Command& command, const SourceParam& source) {
  if (const Operand* operand = command.find(source.param)) return operand->layout.dtype();
  if (source.rule) return source.rule(command);
  return source.dtype_param.empty() ? source.dtype : type_in(command, source.dtype_param);
}

// Lists stand in lists, and a function is copied with whatever it holds: these share it.
std::vector<Implementation> prefer(std::function<bool(const Command&)> condition,
                                   Implementation fast, std::vector<Implementation> rest) {
  const auto shared = std::make_shared<const Implementation>(std::move(fast));
  const auto run = [condition = std::move(condition), shared](const Invocation& invocation) {
    return condition(invocation.command) && shared->run(invocation);
  };
  rest.insert(rest.begin(), {shared->name, run, shared->forms});
  return rest;
}

std::vector<Implementation> choose(const std::function<bool(const Command&)>& condition,
                                   const std::vector<Implementation>& yes,
                                   const std::vector<Implementation>& no) {
  using Lists = std::array<const std::vector<Implementation>, 2>;
  const auto lists = std::make_shared<const Lists>(Lists{no, yes});
  const auto list_for = [ condition, lists ](const Invocation& invocation) -> const auto& {
    return (*lists)[condition(invocation.command) ? 1 : 0];
  };
  const auto fastest = [list_for](const Invocation& invocation) {
    return run_first(list_for(invocation), invocation);
  };
  const auto reference = [list_for](const Invocation& invocation) {
    return list_for(invocation).back().run(invocation);
  };
  return {{yes.front().name, fastest, kAnyOperands}, {"reference", reference, kAnyOperands}};
}

std::vector<Implementation> by_kind(std::string_view dtype_param,
                                    const std::vector<Implementation>& floats,
                                    const std::vector<Implementation>& integers) {
  const auto is_float = [=](const Command& command) {
    return dtype_info(type_in(command, dtype_param)).is_float;
  };
  return choose(is_float, floats, integers);
}

std::vector<Implementation> copy_bits(std::string_view dst, std::string_view src) {
  const auto element = [=](const Invocation& invocation) {
    const std::string_view names[] = {src};
    const Dtype dtype = invocation.command.find(dst)->layout.dtype();
    const RowFunction row = wide_row<std::uint32_t, std::uint32_t>(
        [](std::uint32_t value) { return value; }, dtype, {dtype});
    return run_elements(invocation, dst, names, row);
  };
  return {{"strided", [=](const Invocation& invocation) { return run_copy(invocation, dst, src); },
           kAnyOperands},
          {"reference", element, kAnyOperands}};
}

}  // namespace tensorlane
