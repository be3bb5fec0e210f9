#include "tensorlane/ops/call_text.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>

namespace tensorlane {
namespace {

std::string float_text(std::int64_t bits) {
  const float value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
  if (!std::isfinite(value) || std::fpclassify(value) == FP_SUBNORMAL)
    return fmt::format("(union {{ unsigned u; float f; }}){{{:#x}}}.f", bits);
  // Never an integer: "1f" is not C.
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + "f";
}

std::string struct_text(std::string_view type, const Arg& arg) {
  // "const dim4*" -> "&(dim4){...}"
  std::string_view name = type;
  if (name.starts_with("const ")) name.remove_prefix(6);
  name.remove_suffix(1);
  std::string fields;
  const ArgType& description = arg_type(type);
  for (int k = 0; k < kMaxArgFields && !description.fields[k].empty(); ++k)
    fields += fmt::format("{}{}", k > 0 ? ", " : "", arg.field[k]);
  return fmt::format("&({}){{{}}}", name, fields);
}

// "const variable_t*": a tensor, a constant, or a value per channel.
std::string variable_text(const Arg& arg) {
  if (!arg.is_address())
    return fmt::format("&(variable_t){{SCALAR, {{.scalar.u32 = {:#x}}}}}", arg.constant());
  const bool tensor = arg.field[field_index(arg_type("const variable_t*"), "is_tensor")] != 0;
  return fmt::format("&(variable_t){{{}, {{.addr = {:#x}}}}}", tensor ? "TENSOR" : "VECTOR",
                     arg.address());
}

}  // namespace

std::string argument_text(std::string_view type, const Arg& arg) {
  switch (arg_type(type).kind) {
    case ArgKind::kLocalAddress:
    case ArgKind::kSystemAddress:
      return fmt::format("{:#x}", arg.value());
    case ArgKind::kFloat:
      return float_text(arg.value());
    case ArgKind::kUnion:
      return fmt::format("({}){{.{} = {:#x}}}", type, arg_type(type).fields[0], arg.value());
    case ArgKind::kStruct:
      return arg.is_null ? "NULL" : struct_text(type, arg);
    case ArgKind::kValueOrAddress: {
      if (type == "const variable_t*") return variable_text(arg);
      std::string_view name = type.substr(6);
      name.remove_suffix(1);
      if (arg.is_address())
        return fmt::format("&({}){{true, {{.addr = {:#x}}}}}", name, arg.address());
      return name.starts_with("fp32")
                 ? fmt::format("&({}){{false, {{.val = {}}}}}", name, float_text(arg.constant()))
                 : fmt::format("&({}){{false, {{.val.u32 = {:#x}}}}}", name, arg.constant());
    }
    case ArgKind::kDtype:
    case ArgKind::kInteger:
      return type == "bool" ? (arg.value() != 0 ? "true" : "false")
                            : fmt::format("{}", arg.value());
    case ArgKind::kPointer:
      return arg.pointer == nullptr ? "NULL" : fmt::format("{}", arg.pointer);
  }
  return "?";
}

std::string call_text(const Op& op, std::span<const Arg> args) {
  std::string text = std::string(op.name()) + "(";
  for (std::size_t k = 0; k < args.size(); ++k)
    text += (k > 0 ? ", " : "") + argument_text(op.params()[k].type, args[k]);
  return text + ");";
}

}  // namespace tensorlane
