#include "tensorlane/ops/evidence.h"

#include <algorithm>

#include "tensorlane/base/language.h"

namespace tensorlane {
namespace {

bool names(std::string_view list, std::string_view function) {
  for (std::size_t at = list.find(function); at != std::string_view::npos;
       at = list.find(function, at + 1)) {
    const std::size_t end = at + function.size();
    const bool begins = at == 0 || list[at - 1] == ' ';
    if (begins && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

// Of a function whose results are values that its sources hold.
bool only_moves(const OpSpec& spec) {
  return spec.only_moves || spec.dependence == Dependence::kMoved ||
         spec.dependence == Dependence::kSelected;
}

// Whether no document decides the results where no rule of the chip does.
bool is_open(const OpSpec& spec, bool has_floats) {
  return spec.numerics == Numerics::kChoice || (has_floats && !only_moves(spec));
}

std::optional<Evidence> own_claim(Numerics numerics) {
  if (numerics == Numerics::kNoData) return std::nullopt;
  if (numerics == Numerics::kChoice) return Evidence::kChoice;
  return numerics == Numerics::kExactToModel ? Evidence::kModel : Evidence::kDocument;
}

template <class Name>
std::string joined(const std::vector<TypedEvidence>& list, const Name& name) {
  std::string text;
  for (const TypedEvidence& each : list) {
    std::string types;
    for (const Dtype dtype : each.dtypes)
      types += fmt::format("{}{}", types.empty() ? "" : ", ", dtype_info(dtype).name);
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", name(each.evidence),
                        types.empty() ? "" : fmt::format(" ({})", types));
  }
  return text;
}

}  // namespace

std::optional<Evidence> evidence_of(const Command& command) {
  const OpSpec& spec = command.op->spec();
  const ChipNumerics& chip = numerics_of(*command.chip);
  if (chip.has_own_claims || spec.numerics == Numerics::kNoData) return own_claim(spec.numerics);
  std::optional<Dtype> source;
  bool floats = false;
  for (const Operand& operand : command.operands()) {
    if (operand.role == Role::kWork) continue;
    const Dtype dtype = operand.layout.dtype();
    floats = floats || dtype_info(dtype).is_float;
    if (!source && operand.role == Role::kIn) source = dtype;
  }
  for (const EvidenceRule& rule : chip.evidence) {
    const bool typed = rule.dtypes.empty() ||
                       (source && std::ranges::find(rule.dtypes, *source) != rule.dtypes.end());
    if (typed && names(rule.functions, command.op->name())) return rule.evidence;
  }
  return is_open(spec, floats) ? Evidence::kChoice : Evidence::kDocument;
}

std::vector<TypedEvidence> evidence_of(const Op& op, const Chip& chip) {
  const OpSpec& spec = op.spec();
  if (spec.absence != Absence::kNone || spec.numerics == Numerics::kNoData) return {};
  const ChipNumerics& own = numerics_of(chip);
  if (own.has_own_claims) return {{{}, *own_claim(spec.numerics)}};
  std::vector<TypedEvidence> list;
  for (const EvidenceRule& rule : own.evidence) {
    if (!names(rule.functions, op.name())) continue;
    list.push_back({rule.dtypes, rule.evidence});
    if (rule.dtypes.empty()) return list;
  }
  const bool floats = std::ranges::any_of(spec.operands, [](const OperandSpec& operand) {
    const bool typed = !operand.dtype_param.empty() || operand.dtype_rule;
    return operand.role != Role::kWork && (typed || dtype_info(operand.dtype).is_float);
  });
  list.push_back({{}, is_open(spec, floats) ? Evidence::kChoice : Evidence::kDocument});
  return list;
}

std::string evidence_text(const Op& op, const Chip& chip) {
  return joined(evidence_of(op, chip),
                [](Evidence evidence) { return translated(evidence_name(evidence)); });
}
std::string evidence_in_english(const Op& op, const Chip& chip) {
  return joined(evidence_of(op, chip), evidence_name);
}

}  // namespace tensorlane
