#include "tensorlane/observe/precision/meaning.h"

#include <algorithm>
#include <vector>

#include "tensorlane/trail/dependence.h"

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

// By how the entry says that elements combine. What depends on values of the call's (regions of
// interest) is beyond what the extents say.
Meaning reduction_of(const OpSpec& spec) {
  for (const OperandSpec& operand : spec.operands) {
    if (operand.decides) return {};
  }
  switch (spec.operands.front().combination.value_or(Combination::kFunction)) {
    case Combination::kMaximum:
      return {.kind = Meaning::Kind::kMaximum};
    case Combination::kMean:
      return {.kind = Meaning::Kind::kMean};
    case Combination::kSum:
      return {.kind = Meaning::Kind::kProducts};
    case Combination::kRotatedSum:
      return {.kind = Meaning::Kind::kProducts, .rotated = true};
    case Combination::kMinimum:
    case Combination::kSorted:
    case Combination::kFunction:
      break;
  }
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
  if (trail::copies(op)) return {.kind = Meaning::Kind::kCopy};
  if (spec.dependence == Dependence::kMoved || moves(op)) return {.kind = Meaning::Kind::kMoved};
  if (spec.dependence == Dependence::kSelected) return {.kind = Meaning::Kind::kSelected};
  // There `^` is of bits.
  if (op.name().find("_xor") != std::string_view::npos) return {};
  if (auto formula = RealFormula::parse(spec.doc.en, names_of(op)))
    return {.kind = Meaning::Kind::kFormula, .formula = std::move(formula)};
  if (spec.dependence == Dependence::kByIndex) return reduction_of(spec);
  return {};
}

}  // namespace tensorlane::precision
