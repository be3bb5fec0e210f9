#include "tensorlane/ops/operand_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "tensorlane/base/language.h"
#include "tensorlane/layout/local.h"

namespace tensorlane {

std::string_view role_name(Role role) {
  constexpr std::string_view kNames[] = {"in", "out", "inout", "work"};
  return kNames[static_cast<std::size_t>(role)];
}

std::string_view role_text(Role role) {
  constexpr std::string_view kTexts[] = {msg("input"), msg("output"), msg("input and output"),
                                         msg("work memory")};
  return kTexts[static_cast<std::size_t>(role)];
}

std::string_view memory_name(MemoryKind memory) {
  constexpr std::string_view kNames[] = {msg("local"), msg("system"), msg("static")};
  return kNames[static_cast<std::size_t>(memory)];
}

std::string_view layout_name(DefaultLayout layout) {
  switch (layout) {
    case DefaultLayout::kAligned:
      return layout_names::kAligned;
    case DefaultLayout::kCompact:
      return layout_names::kCompact;
    case DefaultLayout::kCompactWords:
      return msg("compact in words");
    case DefaultLayout::kLineAligned:
      return layout_names::kLineAligned;
    case DefaultLayout::kContinuous:
      return layout_names::kContinuous;
    case DefaultLayout::kMatrix:
      return layout_names::kMatrix;
    case DefaultLayout::kRows:
      return msg("rows");
    case DefaultLayout::kRequired:
      return msg("stride required");
  }
  return "?";
}

std::string_view storage_name(Storage storage, int element_bits) {
  switch (storage) {
    case Storage::kPlain:
      return "";
    case Storage::kPacked:
      return layout_names::packed(element_bits);
    case Storage::k2IC:
      return layout_names::k2IC;
    case Storage::kWeights:
      return layout_names::grouped_ic(element_bits);
  }
  return "?";
}

std::string storage_name(const OperandSpec& operand) {
  const auto of = [&](int bits) { return storage_name(operand.storage, bits); };
  if (operand.dtype_rule || !operand.dtype_param.empty()) {
    if (operand.storage == Storage::kPacked) return tr("{} or {}", of(8), of(16));
    if (operand.storage == Storage::kWeights) {
      return tr("{}, {} or {} by width", of(8), of(16), of(32));
    }
  }
  return std::string(of(dtype_bits(operand.dtype)));
}

std::string loader_of(std::string_view function, std::string_view operand) {
  constexpr std::string_view kPrefix = "tpu_bdc_";
  // What a function is made of, where its operand does not say: the first that its name holds.
  constexpr std::pair<std::string_view, std::string_view> kMadeOf[] = {
      {"arcsinh", "log"},   {"arccosh", "log"}, {"arctanh", "log"}, {"arcsin", "arcsin"},
      {"arccos", "arcsin"}, {"sinh", "exp"},    {"cosh", "exp"},    {"tanh", "exp"},
      {"softplus", "exp"},  {"erf", "erf"},     {"log", "log"},     {"sin", "sin"},
      {"cos", "cos"},       {"tan", "tan"},     {"cot", "tan"}};
  const bool table = operand.ends_with("table_addr");
  // Series of the special functions; other tables are the kernel's own.
  if (!function.starts_with("tpu_bdc_fp") || function.ends_with("taylor") ||
      !(table || operand.ends_with("coeff_addr")))
    return {};
  const bool fp32 = function.find("fp32") != std::string_view::npos;
  if (table) return fmt::format("{}load_fp32_exp_table", kPrefix);
  std::string_view made_of = operand.substr(0, operand.find("coeff"));
  if (made_of.ends_with('_')) made_of.remove_suffix(1);
  if (made_of == "ln") made_of = "log";
  if (made_of.empty()) {
    const auto known = std::ranges::find_if(kMadeOf, [&](const auto& each) {
      return function.find(each.first) != std::string_view::npos;
    });
    made_of = known == std::end(kMadeOf) ? std::string_view("exp") : known->second;
  }
  return fmt::format("{}load_{}_{}_coeff", kPrefix, fp32 ? "fp32" : "fp", made_of);
}

}  // namespace tensorlane
