#include "tensorlane/observe/precision/meaning.h"

#include "tensorlane/trail/dependence.h"

namespace tensorlane::precision {
namespace {

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

Meaning meaning_of(const Op& op) {
  const OpSpec& spec = op.spec();
  if (spec.operands.empty()) return {};
  if (trail::copies(op)) return {.kind = Meaning::Kind::kCopy};
  if (spec.dependence == Dependence::kMoved || spec.only_moves)
    return {.kind = Meaning::Kind::kMoved};
  if (spec.dependence == Dependence::kSelected) return {.kind = Meaning::Kind::kSelected};
  if (op.formula() != nullptr) return {.kind = Meaning::Kind::kFormula};
  if (spec.dependence == Dependence::kByIndex) return reduction_of(spec);
  return {};
}

}  // namespace tensorlane::precision
