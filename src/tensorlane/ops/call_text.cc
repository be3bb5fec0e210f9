#include "tensorlane/ops/call_text.h"

#include <fmt/format.h>

#include <array>
#include <bit>
#include <cctype>
#include <cmath>

#include "tensorlane/ops/constants.h"
#include "tensorlane/tensor/float16.h"

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

float number_of(std::uint32_t bits, Dtype dtype) {
  if (dtype == Dtype::kFp16) return fp16_to_float(static_cast<std::uint16_t>(bits));
  if (dtype == Dtype::kBf16) return bf16_to_float(static_cast<std::uint16_t>(bits));
  return std::bit_cast<float>(bits);
}

// The member of a scalar_t with its value: ".f32 = 1.5f". What no constant of C says stands as
// bits, with the value beside them.
std::string member_text(std::int64_t word, std::optional<Dtype> dtype) {
  const auto bits = static_cast<std::uint32_t>(word);
  const std::string raw = fmt::format(".u32 = {:#x}", bits);
  if (!dtype) return raw;
  const DtypeInfo& info = dtype_info(*dtype);
  if (info.bits < 8 || (info.is_float && info.bits == 8)) return raw;
  const std::uint32_t kept = info.bits == 32 ? bits : bits & ((1U << info.bits) - 1);
  if (info.is_float) {
    const float value = number_of(kept, *dtype);
    const bool plain = std::isnormal(value) || kept == 0;
    if (*dtype == Dtype::kFp32 && plain) return ".f32 = " + float_text(bits);
    const std::string member = info.bits == 16 && kept == bits ? ".u16" : ".u32";
    return fmt::format("{} = {:#x} /* {} */", member, bits, value);
  }
  if (!info.is_signed) return fmt::format(".u{} = {}", info.bits, kept);
  const auto value = static_cast<std::int32_t>(kept << (32 - info.bits)) >> (32 - info.bits);
  return fmt::format(".s{} = {}", info.bits, value);
}

constexpr std::array<std::string_view, 7> kRoundingModes = {
    "RM_HALF_TO_EVEN", "RM_HALF_AWAY_FROM_ZERO",
    "RM_TOWARDS_ZERO", "RM_DOWN",
    "RM_UP",           "RM_HALF_UP",
    "RM_HALF_DOWN"};

// "const variable_t*": a tensor, a constant, or a value per channel.
std::string variable_text(const Arg& arg, std::optional<Dtype> dtype = {}) {
  if (!arg.is_address())
    return fmt::format("&(variable_t){{SCALAR, {{.scalar{}}}}}",
                       member_text(arg.constant(), dtype));
  const bool tensor = arg.field[field_index(arg_type("const variable_t*"), "is_tensor")] != 0;
  return fmt::format("&(variable_t){{{}, {{.addr = {:#x}}}}}", tensor ? "TENSOR" : "VECTOR",
                     arg.address());
}

}  // namespace

std::string dtype_enumerator(Dtype dtype) {
  if (dtype == Dtype::kBf16) return "DT_BFP16";
  std::string name = "DT_";
  for (const char c : dtype_name(dtype))
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return name;
}

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
      if (arg.field[kDtypeField] <= static_cast<std::int64_t>(Dtype::kX32))
        return fmt::format("{}", arg.value());  // no type of the chip's
      return dtype_enumerator(arg.dtype());
    case ArgKind::kInteger:
      if (type == "rounding_mode_t" && arg.value() >= 0 &&
          arg.value() < static_cast<std::int64_t>(kRoundingModes.size()))
        return std::string(kRoundingModes[static_cast<std::size_t>(arg.value())]);
      return type == "bool" ? (arg.value() != 0 ? "true" : "false")
                            : fmt::format("{}", arg.value());
    case ArgKind::kPointer:
      return arg.pointer == nullptr ? "NULL" : fmt::format("{}", arg.pointer);
  }
  return "?";
}

std::string argument_text(const Op& op, std::span<const Arg> args, std::size_t param) {
  const std::string_view type = op.params()[param].type;
  const Arg& arg = args[param];
  if (type == "scalar_t")
    return fmt::format("(scalar_t){{{}}}",
                       member_text(arg.value(), constant_type(op, args, param)));
  if (type == "const variable_t*" && !arg.is_null)
    return variable_text(arg, constant_type(op, args, param));
  return argument_text(type, arg);
}

std::string call_text(const Op& op, std::span<const Arg> args) {
  std::string text = std::string(op.name()) + "(";
  for (std::size_t k = 0; k < args.size(); ++k)
    text += (k > 0 ? ", " : "") + argument_text(op, args, k);
  return text + ");";
}

}  // namespace tensorlane
