#include "tensorlane/observe/precision/meaning.h"

#include <algorithm>
#include <vector>

#include "tensorlane/observe/check/dependence.h"

namespace tensorlane::precision {
namespace {

constexpr std::string_view kAddress = "_addr";

// The names by which documentation calls the parameters.
std::vector<std::string_view> names_of(const Op& op) {
  std::vector<std::string_view> names;
  for (const Param& param : op.params()) {
    names.push_back(param.name);
    if (param.name.ends_with(kAddress))
      names.push_back(param.name.substr(0, param.name.size() - kAddress.size()));
  }
  return names;
}

// Its fastest implementation is a copy, so that it can be nothing else (execution/moves.h).
bool moves(const Op& op) {
  const std::vector<Implementation>& list = op.spec().implementations;
  return !list.empty() && list.front().name == "strided";
}

Meaning reduction_of(const Op& op) {
  const std::string_view name = op.name();
  const auto says = [&](std::string_view word) { return name.find(word) != name.npos; };
  // Zero points and regions of interest are beyond what the extents say.
  if (says("_zp_") || says("asym") || says("roi") || says("pc_pad") || says("_pcs_")) return {};
  if (says("max_pool")) return {.kind = Meaning::Kind::kMaximum};
  if (says("avg_pool") || says("reduce_mean")) return {.kind = Meaning::Kind::kMean};
  if (says("conv2d") || says("depthwise") || says("matmul") || says("_mm"))
    return {.kind = Meaning::Kind::kProducts, .rotated = says("for_deconv2d")};
  return {};
}

}  // namespace

std::string_view parameter_of(const Op& op, std::string_view name) {
  for (const Param& param : op.params()) {
    if (param.name == name ||
        (param.name.starts_with(name) && param.name.substr(name.size()) == kAddress))
      return param.name;
  }
  return {};
}

Meaning meaning_of(const Op& op) {
  const OpSpec& spec = op.spec();
  if (spec.operands.empty()) return {};
  if (check::copies(op)) return {.kind = Meaning::Kind::kCopy};
  if (spec.dependence == Dependence::kMoved || moves(op)) return {.kind = Meaning::Kind::kMoved};
  if (spec.dependence == Dependence::kSelected) return {.kind = Meaning::Kind::kSelected};
  // There `^` is of bits.
  if (op.name().find("_xor") != std::string_view::npos) return {};
  if (auto formula = RealFormula::parse(spec.doc.en, names_of(op)))
    return {.kind = Meaning::Kind::kFormula, .formula = std::move(formula)};
  if (spec.dependence == Dependence::kByIndex) return reduction_of(op);
  return {};
}

}  // namespace tensorlane::precision
