#include "tensorlane/recording/recorded_args.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

std::int64_t integer(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (!value.is_number()) user_error("a number is expected, not {}", value.dump());
  if (value.is_number_unsigned()) return static_cast<std::int64_t>(value.get<std::uint64_t>());
  if (!value.is_number_float()) return value.get<std::int64_t>();
  const double number = value.get<double>();
  if (number != std::floor(number) || std::abs(number) > 0x1p53)
    user_error("a whole number is expected, not {}", value.dump());
  return static_cast<std::int64_t>(number);
}

// Of a type of at most 32 bits, signed or not.
std::int64_t word(const Json& value) {
  constexpr std::int64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const std::int64_t number = integer(value);
  const bool past_64_bits = number < 0 && value.is_number_unsigned();
  if (number < std::numeric_limits<std::int32_t>::min() || number > kMost || past_64_bits)
    user_error("{} does not fit into 32 bits", value.dump());
  return number;
}

// "0x3f800000", {"bits":"0x3f800000"} or a number.
std::int64_t bits(const Json& value) {
  if (value.is_object()) return bits(value.at("bits"));
  if (!value.is_string()) return word(value);
  std::string_view text = value.text();
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint32_t word = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), word, 16);
  if (error != std::errc() || end != text.data() + text.size())
    user_error("the bits of a number are expected, not {}", value.dump());
  return word;
}

// Bits stay bits: a NaN on its way through a double would become a quiet one.
Arg decode_float(const Json& value) {
  Arg arg;
  if (value.is_number()) {
    arg.number = value.get<double>();
    arg.field[0] = std::bit_cast<std::uint32_t>(static_cast<float>(arg.number));
  } else {
    arg.field[0] = bits(value);
    arg.number = std::bit_cast<float>(static_cast<std::uint32_t>(arg.field[0]));
  }
  return arg;
}

// The fields of a structure in `out`, from a list or by name.
template <class Out>
void read_fields(const ArgType& type, const Json& value, Out& out) {
  const auto fields = static_cast<std::size_t>(field_count(type));
  if (!value.is_object() && !(value.is_array() && value.size() == fields))
    user_error("a list of {} numbers is expected, not {}", fields, value.dump());
  for (std::size_t k = 0; k < fields; ++k) {
    const Json& field = value.is_array() ? value[k] : value.at(std::string(type.fields[k]));
    out[k] = static_cast<typename Out::value_type>(word(field));
  }
}

// One structure, or a list of them one after the other.
void* read_pointed_to(const ArgType& type, const Json& value, std::vector<int>& out) {
  const auto fields = static_cast<std::size_t>(field_count(type));
  std::vector<int> one(fields);
  if (value.is_array() && value.size() > 0 && value[0].is_object()) {
    for (const Json& item : value) {
      read_fields(type, item, one);
      out.insert(out.end(), one.begin(), one.end());
    }
    return out.data();
  }
  if (!value.is_null()) read_fields(type, value, one);
  out = one;
  return out.data();
}

// What an argument that is a value or an address holds; the other stands as null or not at all.
std::int64_t word_of(const Json& value) {
  for (const char* const name : {"addr", "val", "val_bits", "value"}) {
    if (value.contains(name) && !value[name].is_null()) return bits(value[name]);
  }
  user_error("an object with addr or val is expected, not {}", value.dump());
}

bool is_wide(const ArgType& type) {
  constexpr std::string_view kWide[] = {"unsigned long long", "uint64_t", "size_t", "u64"};
  return type.kind == ArgKind::kSystemAddress || std::ranges::count(kWide, type.spelling) != 0;
}

Arg decode_null(const ArgType& type) {
  Arg arg;
  arg.is_null = true;
  arg.has_value = type.null_default.has_value();
  arg.field.fill(type.null_default.value_or(0));
  return arg;
}

}  // namespace

Arg ArgDecoder::decode(const ArgType& type, const Json& value) const {
  // Only pointers may be NULL; of others the limits of the call would never hear.
  if (value.is_null() && (type.kind == ArgKind::kStruct || type.kind == ArgKind::kValueOrAddress))
    return decode_null(type);
  Arg arg;
  switch (type.kind) {
    case ArgKind::kStruct:
      read_fields(type, value, arg.field);
      return arg;
    case ArgKind::kFloat:
      return decode_float(value);
    case ArgKind::kUnion:
      arg.field[0] = bits(value);
      return arg;
    case ArgKind::kValueOrAddress: {
      if (!value.is_object())
        user_error("an object with is_addr is expected, not {}", value.dump());
      const std::int64_t held = word_of(value);
      if (field_index(type, "type") >= 0)
        return front_end.argument(type.spelling, word(value.at("type")),
                                  static_cast<std::uint32_t>(held));
      arg.field[kIsAddressField] = word(value.at("is_addr"));
      arg.field[arg.is_address() ? kAddressField : kConstantField] = held;
      return arg;
    }
    case ArgKind::kSystemAddress:
      if (!value.is_object()) break;
      for (std::size_t k = 0; k < system_buffers.size(); ++k) {
        if (value.at("base") != "SYS" + std::to_string(k)) continue;
        arg.field[0] = static_cast<std::int64_t>(system_buffers[k]) + integer(value.at("offset"));
        return arg;
      }
      user_error("unknown system buffer {}", value.at("base").dump());
    case ArgKind::kPointer:
      if (pointed_to == nullptr || field_count(type) == 0)
        user_error("a recording does not hold what a {} points to", type.spelling);
      arg.pointer = read_pointed_to(type, value, pointed_to->emplace_back());
      return arg;
    default:
      break;
  }
  return front_end.argument(type.spelling, is_wide(type) ? integer(value) : word(value), 0);
}

}  // namespace tensorlane
