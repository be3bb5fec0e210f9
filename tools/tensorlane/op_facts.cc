#include "op_facts.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tensorlane/base/language.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/ops/engines.h"
#include "tensorlane/ops/entry_text.h"
#include "tensorlane/ops/evidence.h"
#include "tensorlane/ops/operand_names.h"
#include "test_counts.h"

namespace tensorlane::cli {
namespace {

constexpr std::string_view kByTheArguments = msg("by the arguments");

constexpr std::string_view kCopyCost = msg("by bytes and runs");

constexpr LimitGroup kLimitGroups[] = {
    {msg("limits"), msg("a call that breaks one is refused"), Breach::kRefused},
    {msg("limits of range"), msg("a call that breaks one is refused, with --keep-going computed"),
     Breach::kOnRequest},
    {msg("limits of the document"),
     msg("a call that breaks one is an error, and computed as the model does"), Breach::kComputed},
    {msg("limits not enforced"),
     msg("a call that breaks one is a warning, and computed as the model does"),
     Breach::kUnenforced},
    {msg("limits of the model of 2024"), msg("breaking one is a warning, with --strict refused"),
     Breach::kNewerModel},
    {msg("limits on values"),
     msg("elements that break one are an error, and computed as the model does"), Breach::kRefused,
     true},
};

}  // namespace

std::string purpose(const Op& op) {
  return op.doc(language());
}

std::string dtype_text(const OperandSpec& operand) {
  if (!operand.dtype_param.empty()) return std::string(operand.dtype_param);
  return std::string(operand.dtype_rule ? translated(kByTheArguments) : dtype_name(operand.dtype));
}

std::string_view default_layout(const OperandSpec& operand) {
  return operand.layout_rule ? kByTheArguments : layout_name(operand.layout);
}

std::string shape_text(const OperandSpec& operand) {
  return fmt::format("({})", fmt::join(operand.shape, ", "));
}

std::string layout_text(const OperandSpec& operand, std::string_view quote) {
  std::string text = storage_name(operand);
  text += text.empty() ? "" : ", ";
  text += translated(default_layout(operand));
  if (!operand.stride.empty() && operand.layout != DefaultLayout::kRequired)
    text = tr("{} unless {}", text, operand.stride);
  if (!operand.used_if.empty()) text = tr("{0}; if {1}{2}{1}", text, quote, operand.used_if);
  return text;
}

std::string state_text(const Op& op) {
  const OpSpec& spec = op.spec();
  const std::string_view state = translated(absence_name(spec.absence));
  if (spec.absence == Absence::kNone) return std::string(state);
  return tr("{}: {}", state, entry_text(spec.absence_reason));
}

std::string state_in_english(const Op& op) {
  const OpSpec& spec = op.spec();
  const std::string_view state = absence_name(spec.absence);
  return spec.absence == Absence::kNone ? std::string(state)
                                        : fmt::format("{}: {}", state, spec.absence_reason);
}

std::string_view state_or_numerics(const Op& op) {
  const OpSpec& spec = op.spec();
  return translated(spec.absence == Absence::kNone ? numerics_name(spec.numerics)
                                                   : absence_name(spec.absence));
}

const Chip& chip_with(const Chip& first, const Op& op) {
  if (first.has_function(op.name())) return first;
  for (const Chip* chip : all_chips()) {
    if (&front_end_of(*chip) == &front_end_of(first) && chip->has_function(op.name())) return *chip;
  }
  return first;
}

std::string only_on_chips(const Op& op) {
  if (op.spec().absence != Absence::kNone) return {};
  std::vector<std::string_view> names;
  bool all = true;
  for (const Chip* chip : all_chips()) {
    if (&front_end_of(*chip) != front_end_of_function(op.name())) continue;
    all = all && chip->has_function(op.name());
    if (chip->has_function(op.name())) names.push_back(chip->name);
  }
  return all ? std::string() : fmt::format("{}", fmt::join(names, ", "));
}

std::string evidence_on_chips(const Op& op) {
  std::vector<std::pair<std::string, std::string>> kinds;  // and their chips
  for (const Chip* chip : all_chips()) {
    if (&front_end_of(*chip) != front_end_of_function(op.name()) || !chip->has_function(op.name()))
      continue;
    const std::string kind = evidence_text(op, *chip);
    if (kind.empty()) continue;
    const auto known = std::ranges::find(kinds, kind, &std::pair<std::string, std::string>::first);
    if (known == kinds.end()) {
      kinds.emplace_back(kind, chip->name);
    } else {
      known->second += fmt::format(", {}", chip->name);
    }
  }
  std::string text;
  for (const auto& [kind, chips] : kinds)
    text += fmt::format("{}{}: {}", text.empty() ? "" : "; ", kind, chips);
  return text;
}

std::string cost_text(const Op& op) {
  const OpSpec& spec = op.spec();
  if (spec.absence != Absence::kNone || op.engine() == Engine::kNone) return {};
  std::string text(is_dma(op.engine()) ? kCopyCost : spec.cycles.text);
  if (spec.issue_commands > 1) text += fmt::format(", {} commands", spec.issue_commands);
  return text;
}

std::string cost_in_language(const Op& op) {
  const OpSpec& spec = op.spec();
  if (cost_text(op).empty()) return {};
  const std::string cost =
      is_dma(op.engine()) ? std::string(translated(kCopyCost)) : entry_text(spec.cycles.text);
  return spec.issue_commands > 1 ? tr("{}, {} commands", cost, spec.issue_commands) : cost;
}

TestsOfOp tests_of(const Op& op) {
  TestsOfOp tests;
  for (const TestCount& count : test_counts()) {
    if (count.function == op.name()) tests = {count.recorded, count.named, 0};
  }
  tests.differential = op.spec().implementations.size() > 1 ? 1 : 0;
  return tests;
}

std::span<const LimitGroup> limit_groups() {
  return kLimitGroups;
}

std::vector<const Limit*> members(const LimitGroup& group, std::span<const Limit> limits) {
  std::vector<const Limit*> found;
  for (const Limit& limit : limits) {
    if (limit.about_data() == group.about_data &&
        (group.about_data || limit.breach() == group.breach))
      found.push_back(&limit);
  }
  return found;
}

std::vector<const Limit*> pointers(std::span<const Limit> limits) {
  std::vector<const Limit*> all;
  for (const Limit& limit : limits) all.push_back(&limit);
  return all;
}

std::string_view shown_rule(const Limit& limit) {
  return limit.rule() == "never" ? translated(msg("every call")) : std::string_view(limit.rule());
}

}  // namespace tensorlane::cli
