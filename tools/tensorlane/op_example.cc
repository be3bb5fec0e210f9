#include "op_example.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/front_ends/legal_calls.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::cli {
namespace {

constexpr std::size_t kExampleWidth = 96;
constexpr std::size_t kLongCall = 40;  // what is called: arguments behind it would be out of sight
constexpr std::string_view kScalarExample = "(scalar_t){.f32 = 1.5f}";

// Arguments of functions that give the device no command: by the name of the parameter, then by its
// type. Nothing for types of which no value says anything.
std::optional<std::string> plain_argument(const Chip& chip, const Param& param) {
  constexpr std::pair<std::string_view, std::string_view> kByName[] = {{"num_channels", "100"},
                                                                       {"start_idx", "0"},
                                                                       {"idx", "0"},
                                                                       {"dim", "0"},
                                                                       {"stride", "NULL"},
                                                                       {"h", "56"},
                                                                       {"w", "56"},
                                                                       {"ic", "64"},
                                                                       {"oc", "64"},
                                                                       {"c", "64"},
                                                                       {"c_stride", "3136"},
                                                                       {"dims", "4"},
                                                                       {"is_read", "1"},
                                                                       {"num", "2"},
                                                                       {"info", "0"},
                                                                       {"rows", "64"},
                                                                       {"cols", "128"},
                                                                       {"row_stride", "128"}};
  constexpr std::pair<std::string_view, std::string_view> kByType[] = {
      {"const dim4*", "&(dim4){1, 64, 56, 56}"},
      {"const dim5*", "&(dim5){1, 64, 4, 56, 56}"},
      {"const dim2*", "&(dim2){3, 3}"},
      {"const int*", "(const int[]){1, 64, 56, 56}"},
      {"const u64*", "(const u64[]){0x100000000, 0x110000000}"},
      {"const range_t*", "(const range_t[]){{0, 4096}, {4096, 8192}}"},
      {"const char*", "\"plus_one\""},
      {"data_type_t", "DT_FP32"},
      {"rounding_mode_t", "RM_HALF_TO_EVEN"},
      {"scalar_t", kScalarExample},
      {"bool", "true"},
      {"size_t", "64"},
      {"func_type_t", "FUNC_TYPE_1"},
      {"local_addr_t", "0x4000"},
      {"l2_sram_addr_t", "0x1000"}};
  if (param.type != "const dim4*" || param.name == "stride") {
    for (const auto& [name, value] : kByName)
      if (param.name == name && !param.type.ends_with('*')) return std::string(value);
  }
  for (const auto& [type, value] : kByType)
    if (param.type == type) return std::string(value);
  const bool system = param.type == "system_addr_t" || param.type == "global_addr_t" ||
                      param.type == "unsigned long long";
  if (system && param.name != "size") return fmt::format("{:#x}", chip.global_alloc_begin);
  if (!param.type.ends_with('*') && (system || param.type == "int" || param.type == "u64" ||
                                     param.type == "u32" || param.type.starts_with("unsigned")))
    return "4096";
  return std::nullopt;
}

// What a call is handed that has to be declared before it.
struct Declared {
  std::string declaration, argument;
};

std::optional<Declared> declared_argument(const Param& param) {
  constexpr const char* kKernel = "void plus_one(const void* args);\n";
  if (param.type == "dim4*")
    return Declared{fmt::format("dim4 {};\n", param.name), fmt::format("&{}", param.name)};
  if (param.type == "okk_kernel_func_t") return Declared{kKernel, "plus_one"};
  if (param.type == "void*" && param.name == "func") return Declared{kKernel, "(void*)plus_one"};
  if (param.type == "void*" || param.type == "const void*")
    return Declared{fmt::format("unsigned {}[16] = {{0}};\n", param.name), std::string(param.name)};
  return std::nullopt;
}

// Arguments in lines of a page's width, below the first one.
std::string call_in_lines(std::string text, const std::vector<std::string>& arguments) {
  std::string indent(text.size(), ' ');
  std::size_t begin = 0;
  if (text.size() > kLongCall && !arguments.empty()) {
    indent = "    ";
    text += "\n" + indent;
    begin = text.size() - indent.size();
  }
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    if (k > 0 && text.size() - begin + arguments[k].size() + 4 > kExampleWidth) {
      text += ",\n" + indent;
      begin = text.size() - indent.size();
    } else if (k > 0) {
      text += ", ";
    }
    text += arguments[k];
  }
  return text + ");";
}

std::string command_example(const FrontEnd& front_end, const Op& op) {
  const std::optional<OpCall> call = example_of(front_end, op);
  if (!call) return {};
  const bool fp32 = call->types == dtype_name(Dtype::kFp32);
  std::vector<std::string> arguments;
  for (std::size_t k = 0; k < call->args.size(); ++k) {
    const std::string_view type = op.params()[k].type;
    if (type == "data_type_t") {
      arguments.push_back(dtype_enumerator(call->args[k].dtype()));
    } else if (type == "scalar_t" && fp32) {
      arguments.emplace_back(kScalarExample);
    } else {
      arguments.push_back(argument_text(type, call->args[k]));
    }
  }
  return call_in_lines(std::string(op.name()) + "(", arguments);
}

std::string plain_example(const Chip& chip, const Op& op) {
  std::string declarations;
  std::vector<std::string> arguments;
  for (const Param& param : op.params()) {
    if (std::optional<Declared> declared = declared_argument(param)) {
      declarations += declared->declaration;
      arguments.push_back(std::move(declared->argument));
    } else if (std::optional<std::string> argument = plain_argument(chip, param)) {
      arguments.push_back(std::move(*argument));
    } else {
      return {};
    }
  }
  const std::string result =
      op.returns() == "void" ? std::string() : fmt::format("{} result = ", op.returns());
  return declarations + call_in_lines(fmt::format("{}{}(", result, op.name()), arguments);
}

}  // namespace

std::string example_of_call(const Chip& chip, const Op& op) {
  if (op.spec().absence != Absence::kNone) return {};
  return op.engine() == Engine::kNone ? plain_example(chip, op)
                                      : command_example(front_end_of(chip), op);
}

}  // namespace tensorlane::cli
