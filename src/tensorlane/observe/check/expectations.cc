#include "tensorlane/observe/check/expectations.h"

#include <charconv>

#include "tensorlane/base/error.h"
#include "tensorlane/io/tensor_file.h"
#include "tensorlane/json/json.h"

namespace tensorlane::check {
namespace {

std::uint64_t parse_count(std::string_view text, std::string_view whole) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) {
    user_error(
        "output '{}': '{}' is no number; an output is the field of the kernel's arguments that "
        "holds its address, or read:N, and may end in #K and :DTYPE",
        whole, text);
  }
  return value;
}

// The elements of a file as what the output holds: bits of a type that the file cannot name, or
// numbers, which are compared as such.
Tensor read_reference(const std::string& file, std::optional<Dtype> dtype) {
  const std::vector<TensorInfo> tensors = list_tensors(file);
  if (tensors.size() != 1) {
    user_error("'{}' has {} tensors; a reference is one", file, tensors.size());
  }
  const TensorInfo& info = tensors.front();
  if (!info.dtype) return read_tensor(file, {.dtype = info.narrowed ? info.narrowed : dtype});
  const bool bits = dtype && dtype_info(*dtype).is_float && !dtype_info(*info.dtype).is_float &&
                    !dtype_info(*info.dtype).is_signed &&
                    dtype_bits(*dtype) == dtype_bits(*info.dtype);
  return read_tensor(file, {.dtype = bits ? dtype : std::nullopt});
}

}  // namespace

OutputName parse_output_name(std::string_view text) {
  OutputName output;
  output.text = text;
  std::string_view rest = text;
  const bool numbered = rest.starts_with("read:");
  if (numbered) rest.remove_prefix(5);
  if (const std::size_t colon = rest.rfind(':'); colon != rest.npos) {
    output.dtype = parse_dtype(rest.substr(colon + 1));
    rest = rest.substr(0, colon);
  }
  if (const std::size_t mark = rest.rfind('#'); mark != rest.npos) {
    output.time = parse_count(rest.substr(mark + 1), text);
    rest = rest.substr(0, mark);
  }
  if (numbered) {
    output.read = parse_count(rest, text);
  } else {
    output.name = rest;
  }
  return output;
}

std::int64_t Expectation::bytes() const {
  return static_cast<std::int64_t>(tensor_bytes(dtype, shape, file));
}

void add_expectations(std::string_view json, Expectations& expectations) {
  const Json list = Json::parse(json);
  for (const Json& each : list) {
    Expectation& added = expectations.list.emplace_back();
    added.output = parse_output_name(each.value("output", ""));
    const auto path = each.at("reference").get<std::string>();
    added.file = each.value("name", path);
    const Tensor reference = read_reference(path, added.output.dtype);
    added.shape = reference.shape;
    added.dtype = added.output.dtype.value_or(reference.dtype);
    added.values =
        compare::elements_of(reference.dtype, reference.data,
                             static_cast<std::size_t>(element_count(reference.shape, added.file)));
    const double largest = compare::largest_magnitude(added.values);
    const std::string tolerance = each.value("tolerance", "");
    added.tolerance = tolerance.empty() ? compare::default_tolerance(added.dtype, largest)
                                        : compare::parse_tolerance(tolerance, added.dtype, largest);
  }
}

}  // namespace tensorlane::check
