#include "lsp/function_text.h"

#include <fmt/format.h>

#include "op_facts.h"
#include "ops_text.h"
#include "tensorlane/base/language.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::lsp {
namespace {

std::string operand_row(const OperandSpec& operand) {
  std::string layout = cli::layout_text(operand, "`");
  return fmt::format("| `{}` | {} | {} | {} | `{}` | {} |\n", operand.param,
                     translated(role_text(operand.role)), translated(memory_name(operand.memory)),
                     cli::dtype_text(operand), cli::shape_text(operand), layout);
}

std::string limit_line(const Limit& limit) {
  return fmt::format("- `{}` [{}]\n", cli::shown_rule(limit), limit.source());
}

}  // namespace

std::string function_markdown(const Op& op) {
  const OpSpec& spec = op.spec();
  std::string text = fmt::format("```c\n{};\n```\n{}\n", cli::signature_text(op), cli::purpose(op));
  if (spec.absence != Absence::kNone) text += fmt::format("\n**{}**\n", cli::state_text(op));
  if (!op.operands().empty()) {
    text +=
        fmt::format("\n| {} | {} | {} | {} | {} | {} |\n|---|---|---|---|---|---|\n", tr("operand"),
                    tr("role"), tr("memory"), tr("type"), tr("shape"), tr("layout"));
    for (const Op::CompiledOperand& operand : op.operands()) text += operand_row(*operand.spec);
  }
  for (const cli::LimitGroup& group : cli::limit_groups()) {
    const std::vector<const Limit*> limits = cli::members(group, op.limits());
    if (limits.empty()) continue;
    text += fmt::format("\n**{}**: {}\n\n", translated(group.title), translated(group.says));
    for (const Limit* limit : limits) text += limit_line(*limit);
  }
  if (!op.preferred().empty()) {
    text += fmt::format("\n**{}**\n\n", tr("preferred: breaking one costs time only"));
    for (const Limit& limit : op.preferred()) text += limit_line(limit);
  }
  text += '\n';
  const auto row = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) text += fmt::format("- {}: {}\n", translated(name), value);
  };
  row(msg("engine"), translated(engine_name(op.engine())));
  row(msg("numerics"), translated(numerics_name(spec.numerics)));
  for (const std::string& line : cli::in_place_lines(op)) row(msg("in place"), line);
  row(msg("takes"), cli::cost_in_language(op));
  return text;
}

std::string parameter_markdown(const Op& op, std::size_t param) {
  std::string text;
  for (const Op::CompiledOperand& operand : op.operands()) {
    const OperandSpec& spec = *operand.spec;
    if (static_cast<std::size_t>(operand.param) == param)
      text += fmt::format("{}, {}, {}, `{}`, {}\n\n", translated(role_text(spec.role)),
                          translated(memory_name(spec.memory)), cli::dtype_text(spec),
                          cli::shape_text(spec), cli::layout_text(spec, "`"));
  }
  for (const Limit& limit : op.limits()) {
    if (limit.inputs() != kAnyInput && (limit.inputs() & input_of(static_cast<int>(param))) != 0)
      text += limit_line(limit);
  }
  return text;
}

Label function_label(const Op& op) {
  Label label{fmt::format("{} {}(", op.returns(), op.name()), {}};
  for (const Param& param : op.params()) {
    if (!label.params.empty()) label.text += ", ";
    const std::size_t begin = label.text.size();
    label.text += fmt::format("{} {}", param.type, param.name);
    label.params.push_back({begin, label.text.size()});
  }
  label.text += op.params().empty() ? "void)" : ")";
  return label;
}

}  // namespace tensorlane::lsp
