#include "ops_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "op_facts.h"
#include "tensorlane/base/language.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/entry_text.h"
#include "tensorlane/ops/evidence.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::cli {
namespace {

std::string implementations_text(const Op& op) {
  std::string text;
  for (const Implementation& implementation : op.spec().implementations)
    text += (text.empty() ? "" : ", ") + std::string(implementation.name);
  return text;
}

std::vector<std::string> rules(std::span<const Limit> limits) {
  std::vector<std::string> texts;
  for (const Limit& limit : limits) texts.push_back(limit.rule());
  return texts;
}

constexpr std::size_t kLongestCost = 32;  // in the table

}  // namespace

std::string signature_text(const Op& op) {
  constexpr std::size_t kLongName = 40;  // parameters behind it would be out of sight
  std::string text = fmt::format("{} {}(", op.returns(), op.name());
  std::string indent(text.size(), ' ');
  if (text.size() > kLongName && !op.params().empty()) {
    indent = "    ";
    text += "\n" + indent;
  }
  std::string line = indent;
  bool first = true;
  for (const Param& param : op.params()) {
    const std::string part = fmt::format("{} {}", param.type, param.name);
    text += first ? "" : ",";
    line += first ? "" : ",";
    if (!first && line.size() + part.size() > 96) {
      text += "\n" + indent;
      line = indent;
    } else if (!first) {
      text += " ";
      line += " ";
    }
    text += part;
    line += part;
    first = false;
  }
  return text + (op.params().empty() ? "void)" : ")");
}

std::string ops_table(std::span<const Op* const> ops, const Terminal& terminal) {
  std::size_t width = 8, implementations = 15;
  for (const Op* op : ops) {
    width = std::max(width, op->name().size());
    implementations = std::max(implementations, implementations_text(*op).size());
  }
  std::string text =
      styled(terminal, TextStyle::kBold,
             fmt::format("{:<{}} {:<6} {:<21} {:<{}} {:>5}  {:<{}}  {}", tr("function"), width,
                         tr("engine"), tr("numerics"), tr("implementations"), implementations,
                         tr("tests"), tr("takes"), kLongestCost, tr("what it does")));
  text += "\n";
  TestsOfOp sum;
  for (const Op* op : ops) {
    const TestsOfOp tests = tests_of(*op);
    sum.recorded += tests.recorded;
    sum.named += tests.named;
    sum.differential += tests.differential;
    const std::string cost = cost_in_language(*op);
    text += fmt::format("{:<{}} {:<6} {:<21} {:<{}} {:>5}  {:<{}}  {}\n", op->name(), width,
                        translated(engine_name(op->engine())), state_or_numerics(*op),
                        implementations_text(*op), implementations, tests.all(),
                        cost.size() > kLongestCost ? tr("by its arguments") : cost, kLongestCost,
                        purpose(*op));
  }
  return text + tr("{}; tests: {} recorded calls, {} test cases and kernels that name the "
                   "function, {} on random calls\n",
                   tr_n("{} function", "{} functions", ops.size()), sum.recorded, sum.named,
                   sum.differential);
}

std::string ops_lines(std::span<const Op* const> ops) {
  std::size_t width = 0;
  for (const Op* op : ops) width = std::max(width, op->name().size());
  std::string text;
  for (const Op* op : ops) text += fmt::format("{:<{}}  {}\n", op->name(), width, purpose(*op));
  return text;
}

std::vector<std::string> in_place_lines(const Op& op) {
  std::vector<std::string> lines;
  for (const OperandSpec& operand : op.spec().operands) {
    if (operand.in_place == InPlace::kUnsaid) continue;
    std::string what(translated(in_place_name(operand.in_place)));
    if (operand.in_place == InPlace::kOther) {
      const std::string_view result = translated(operand.other.words);
      what = operand.other_if.empty() ? tr("another result, {}", result)
                                      : tr("another result where {}: {}", operand.other_if, result);
    }
    lines.push_back(tr("on {}: {}", operand.param, what));
  }
  return lines;
}

std::string op_details(const Op& op, const Terminal& terminal) {
  const OpSpec& spec = op.spec();
  const auto title = [&](std::string_view text) {
    return fmt::format("\n{}\n", styled(terminal, TextStyle::kBold, text));
  };
  std::string text = styled(terminal, TextStyle::kBold, signature_text(op)) + "\n";
  // Who reads English gets both: the vendor's documents and forums are in Chinese.
  if (language() == Language::kEnglish) text += fmt::format("  {}\n", op.doc(Language::kEnglish));
  text += fmt::format("  {}\n", op.doc(Language::kChinese));
  if (!op.operands().empty()) text += title(tr("operands"));
  for (const Op::CompiledOperand& compiled : op.operands()) {
    const OperandSpec& operand = *compiled.spec;
    text += fmt::format("  {:<5} {:<14} {:<7} {:<8} {:<34} {}\n", role_name(operand.role),
                        operand.param, translated(memory_name(operand.memory)), dtype_text(operand),
                        shape_text(operand), layout_text(operand, ""));
  }
  const auto list = [&](std::string_view name, const std::vector<const Limit*>& limits) {
    if (!limits.empty()) text += title(name);
    for (const Limit* limit : limits)
      text += fmt::format("  {}  [{}]\n", shown_rule(*limit), limit->source());
  };
  for (const LimitGroup& group : limit_groups())
    list(tr("{}: {}", translated(group.title), translated(group.says)),
         members(group, op.limits()));
  list(tr("preferred: breaking one costs time only"), pointers(op.preferred()));
  const TestsOfOp tests = tests_of(op);
  text += title(tr("the rest"));
  const auto row = [&](std::string_view name, std::string_view value) {
    text += fmt::format("  {:<16} {}\n", translated(name), value);
  };
  if (spec.absence != Absence::kNone) row(msg("state"), state_text(op));
  row(msg("group"), spec.group);
  row(msg("engine"), translated(engine_name(op.engine())));
  row(msg("numerics"), translated(numerics_name(spec.numerics)));
  if (const std::string on_chips = evidence_on_chips(op); !on_chips.empty())
    row(msg("evidence"), on_chips);
  for (const std::string& line : in_place_lines(op)) row(msg("in place"), line);
  if (const std::string cost = cost_in_language(op); !cost.empty()) row(msg("takes"), cost);
  if (!spec.implementations.empty()) row(msg("implementations"), implementations_text(op));
  row(msg("tests"),
      tests.differential > 0
          ? tr("{} recorded calls, {} test cases and kernels, random calls by all implementations",
               tests.recorded, tests.named)
          : tr("{} recorded calls, {} test cases and kernels", tests.recorded, tests.named));
  return text;
}

Json op_json(const Chip& chip, const Op& op) {
  const FrontEnd& front_end = front_end_of(chip);
  const OpSpec& spec = op.spec();
  Json params = Json::array();
  for (const Param& param : op.params())
    params.push_back({{"name", param.name}, {"type", param.type}});
  Json operands = Json::array();
  for (const Op::CompiledOperand& compiled : op.operands()) {
    const OperandSpec& operand = *compiled.spec;
    Json entry{{"param", operand.param},
               {"role", role_name(operand.role)},
               {"memory", memory_name(operand.memory)},
               {"dtype", operand.dtype_rule ? Json() : Json(dtype_text(operand))},
               {"shape", operand.shape},
               {"default_layout", default_layout(operand)}};
    if (!operand.stride.empty()) entry["stride"] = operand.stride;
    if (operand.storage != Storage::kPlain) entry["storage"] = storage_name(operand);
    if (!operand.used_if.empty()) entry["used_if"] = operand.used_if;
    if (operand.in_place != InPlace::kUnsaid) entry["in_place"] = in_place_name(operand.in_place);
    if (operand.in_place == InPlace::kOther) entry["result_in_place"] = operand.other.words;
    if (!operand.other_if.empty()) entry["other_in_place_if"] = operand.other_if;
    operands.push_back(entry);
  }
  Json breaking = Json::object();
  for (const LimitGroup& group : limit_groups()) {
    for (const Limit* limit : members(group, op.limits())) breaking[limit->rule()] = group.says;
  }
  Json implementations = Json::array();
  for (const Implementation& implementation : spec.implementations)
    implementations.push_back(implementation.name);
  const TestsOfOp tests = tests_of(op);
  return {{"name", op.name()},
          {"group", spec.group},
          {"engine", engine_name(op.engine())},
          {"returns", op.returns()},
          {"params", params},
          {"doc", {{"en", op.doc(Language::kEnglish)}, {"zh", op.doc(Language::kChinese)}}},
          {"operands", operands},
          {"limits", rules(op.limits())},
          {"breaking_a_limit", breaking},
          {"preferred", rules(op.preferred())},
          {"numerics", numerics_name(spec.numerics)},
          {"evidence", evidence_in_english(op, chip)},
          {"takes", cost_text(op)},
          {"implementations", implementations},
          {"tests", tests.all()},
          {"tests_recorded_calls", tests.recorded},
          {"tests_naming_it", tests.named},
          {"tests_random_calls", tests.differential},
          {"chip", chip.name},
          {"state", state_in_english(op)},
          {"tier", front_end.tier == nullptr ? Json() : Json(front_end.tier(op.name()))}};
}

}  // namespace tensorlane::cli
