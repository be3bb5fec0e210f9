#include "ops_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "tensorlane/base/language.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/operand_names.h"
#include "test_counts.h"
#include "text.h"

namespace tensorlane::cli {
namespace {

std::string dtype_text(const OperandSpec& operand) {
  if (!operand.dtype_param.empty()) return std::string(operand.dtype_param);
  return operand.dtype_rule ? "by the arguments" : std::string(dtype_name(operand.dtype));
}

std::string_view default_layout(const OperandSpec& operand) {
  return operand.layout_rule ? "by the arguments" : layout_name(operand.layout);
}

std::string shape_text(const OperandSpec& operand) {
  return fmt::format("({})", fmt::join(operand.shape, ", "));
}

// "aligned", "matrix", "4N, compact"; the stride parameter where there is one.
std::string layout_text(const OperandSpec& operand) {
  std::string text = storage_name(operand);
  text += text.empty() ? "" : ", ";
  text += default_layout(operand);
  if (!operand.stride.empty() && operand.layout != DefaultLayout::kRequired)
    text += fmt::format(" unless {}", operand.stride);
  return text;
}

std::string implementations_text(const Op& op) {
  std::string text;
  for (const Implementation& implementation : op.spec().implementations)
    text += (text.empty() ? "" : ", ") + std::string(implementation.name);
  return text;
}

struct Tests {
  int recorded = 0;      // calls
  int named = 0;         // test cases and kernels
  int differential = 0;  // the property that all implementations agree on random calls
  int all() const { return recorded + named + differential; }
};

Tests tests_of(const Op& op) {
  Tests tests;
  for (const TestCount& count : test_counts()) {
    if (count.function == op.name()) tests = {count.recorded, count.named, 0};
  }
  tests.differential = op.spec().implementations.size() > 1 ? 1 : 0;
  return tests;
}

std::vector<std::string> rules(std::span<const Limit> limits) {
  std::vector<std::string> texts;
  for (const Limit& limit : limits) texts.push_back(limit.rule());
  return texts;
}

// The limits by what becomes of a call that breaks one, with a line that says it.
struct LimitGroup {
  std::string_view title;
  std::string_view says;
  Breach breach;
  bool about_data = false;
};
constexpr LimitGroup kLimitGroups[] = {
    {"limits", "a call that breaks one is refused", Breach::kRefused},
    {"limits of range", "a call that breaks one is refused, with --keep-going computed",
     Breach::kOnRequest},
    {"limits of the document", "a call that breaks one is an error, and computed as the model does",
     Breach::kComputed},
    {"limits not enforced", "breaking one is advice, with --strict a warning", Breach::kUnenforced},
    {"limits of the model of 2024", "breaking one is a warning, with --strict refused",
     Breach::kNewerModel},
    {"limits on values", "elements that break one are an error, and computed as the model does",
     Breach::kRefused, true},
};

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

// "every call" for a limit that never holds.
std::string_view shown_rule(const Limit& limit) {
  return limit.rule() == "never" ? "every call" : std::string_view(limit.rule());
}

// The parts of a page, in the order of the list.
std::vector<std::pair<std::string_view, std::vector<const Op*>>> by_group(
    std::span<const Op* const> ops) {
  std::vector<std::pair<std::string_view, std::vector<const Op*>>> groups;
  for (const Op* op : ops) {
    auto group =
        std::ranges::find(groups, op->spec().group, [](const auto& entry) { return entry.first; });
    if (group == groups.end()) group = groups.insert(group, {op->spec().group, {}});
    group->second.push_back(op);
  }
  return groups;
}

constexpr std::size_t kLongestCost = 32;  // in the table

std::string_view doc_in_language(const Op& op) {
  const Doc& doc = op.spec().doc;
  return language() == Language::kChinese ? doc.zh : doc.en;
}

// "52 cycles per step", "by bytes and runs"; nothing where no engine works.
std::string cost_text(const Op& op) {
  const OpSpec& spec = op.spec();
  if (spec.absence != Absence::kNone || op.engine() == Engine::kNone) return {};
  std::string text = op.engine() == Engine::kGdma ? "by bytes and runs" : spec.cycles.text;
  if (spec.issue_commands > 1) text += fmt::format(", {} commands", spec.issue_commands);
  return text;
}

// "implemented", "not implemented: no public definition", "needs a later chip: an SDMA engine ...".
std::string state_text(const Op& op) {
  const OpSpec& spec = op.spec();
  if (spec.absence == Absence::kNone) return std::string(absence_name(spec.absence));
  return fmt::format("{}: {}", absence_name(spec.absence), spec.absence_reason);
}

std::string_view state_or_numerics(const Op& op) {
  const OpSpec& spec = op.spec();
  return spec.absence == Absence::kNone ? numerics_name(spec.numerics) : absence_name(spec.absence);
}

// Vertical bars end a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

std::string op_markdown(const Op& op) {
  const OpSpec& spec = op.spec();
  std::string text = fmt::format("### {}\n\n{}  \n{}\n\n```c\n{};\n```\n\n", op.name(), spec.doc.en,
                                 spec.doc.zh, signature_text(op));
  if (!op.operands().empty()) {
    text += "| Operand | | Memory | Type | Shape | Layout |\n|---|---|---|---|---|---|\n";
    for (const Op::CompiledOperand& compiled : op.operands()) {
      const OperandSpec& operand = *compiled.spec;
      text += fmt::format("| `{}` | {} | {} | {} | {} | {}{} |\n", operand.param,
                          role_name(operand.role), memory_name(operand.memory), dtype_text(operand),
                          cell(shape_text(operand)), layout_text(operand),
                          operand.used_if.empty() ? "" : fmt::format("; if `{}`", operand.used_if));
    }
    text += "\n";
  }
  const auto list = [&](std::string_view title, const std::vector<const Limit*>& limits) {
    if (limits.empty()) return;
    text += fmt::format("{}{}:\n\n", static_cast<char>(title.front() - 'a' + 'A'), title.substr(1));
    for (const Limit* limit : limits) {
      text += fmt::format("- `{}`{}\n", shown_rule(*limit),
                          limit->source() == "observed" ? " (observed)" : "");
    }
    text += "\n";
  };
  for (const LimitGroup& group : kLimitGroups) list(group.title, members(group, op.limits()));
  list("preferred", pointers(op.preferred()));
  if (spec.absence != Absence::kNone) {
    text += fmt::format("State: {}.\n\n", state_text(op));
  } else if (op.engine() != Engine::kNone) {
    text +=
        fmt::format("{}, {}. Recorded calls that it reproduces: {}.\n\n", engine_name(op.engine()),
                    numerics_name(spec.numerics), tests_of(op).recorded);
  }
  return text;
}

}  // namespace

std::string signature_text(const Op& op) {
  std::string text = fmt::format("{} {}(", op.returns(), op.name());
  std::string line = text;
  const std::string indent(text.size(), ' ');
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
             fmt::format("{:<{}} {:<6} {:<21} {:<{}} {:>5}  {:<{}}  {}", "function", width,
                         "engine", "numerics", "implementations", implementations, "tests", "takes",
                         kLongestCost, "what it does"));
  text += "\n";
  Tests sum;
  for (const Op* op : ops) {
    const Tests tests = tests_of(*op);
    sum.recorded += tests.recorded;
    sum.named += tests.named;
    sum.differential += tests.differential;
    const std::string cost = cost_text(*op);
    text += fmt::format("{:<{}} {:<6} {:<21} {:<{}} {:>5}  {:<{}}  {}\n", op->name(), width,
                        engine_name(op->engine()), state_or_numerics(*op),
                        implementations_text(*op), implementations, tests.all(),
                        cost.size() > kLongestCost ? "by its arguments" : cost, kLongestCost,
                        doc_in_language(*op));
  }
  return text + fmt::format(
                    "{}; tests: {} recorded calls, {} test cases and kernels that name the "
                    "function, {} on random calls\n",
                    count_text(ops.size(), "function", "functions"), sum.recorded, sum.named,
                    sum.differential);
}

std::string ops_lines(std::span<const Op* const> ops) {
  std::size_t width = 0;
  for (const Op* op : ops) width = std::max(width, op->name().size());
  std::string text;
  for (const Op* op : ops)
    text += fmt::format("{:<{}}  {}\n", op->name(), width, doc_in_language(*op));
  return text;
}

std::string op_details(const Op& op, const Terminal& terminal) {
  const OpSpec& spec = op.spec();
  const auto title = [&](std::string_view text) {
    return fmt::format("\n{}\n", styled(terminal, TextStyle::kBold, text));
  };
  std::string text = styled(terminal, TextStyle::kBold, signature_text(op)) + "\n";
  text += fmt::format("  {}\n  {}\n", spec.doc.en, spec.doc.zh);
  if (!op.operands().empty()) text += title("operands");
  for (const Op::CompiledOperand& compiled : op.operands()) {
    const OperandSpec& operand = *compiled.spec;
    text += fmt::format("  {:<5} {:<14} {:<7} {:<8} {:<34} {}{}\n", role_name(operand.role),
                        operand.param, memory_name(operand.memory), dtype_text(operand),
                        shape_text(operand), layout_text(operand),
                        operand.used_if.empty() ? "" : fmt::format("; if {}", operand.used_if));
  }
  const auto list = [&](std::string_view name, const std::vector<const Limit*>& limits) {
    if (!limits.empty()) text += title(name);
    for (const Limit* limit : limits)
      text += fmt::format("  {}  [{}]\n", shown_rule(*limit), limit->source());
  };
  for (const LimitGroup& group : kLimitGroups)
    list(fmt::format("{}: {}", group.title, group.says), members(group, op.limits()));
  list("preferred: breaking one costs time only", pointers(op.preferred()));
  const Tests tests = tests_of(op);
  text += title("the rest");
  if (spec.absence != Absence::kNone)
    text += fmt::format("  state            {}\n", state_text(op));
  text += fmt::format("  group            {}\n  engine           {}\n  numerics         {}\n",
                      spec.group, engine_name(op.engine()), numerics_name(spec.numerics));
  if (const std::string cost = cost_text(op); !cost.empty())
    text += fmt::format("  takes            {}\n", cost);
  if (!spec.implementations.empty())
    text += fmt::format("  implementations  {}\n", implementations_text(op));
  text += fmt::format("  tests            {} recorded calls, {} test cases and kernels{}\n",
                      tests.recorded, tests.named,
                      tests.differential > 0 ? ", random calls by all implementations" : "");
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
    operands.push_back(entry);
  }
  Json breaking = Json::object();
  for (const LimitGroup& group : kLimitGroups) {
    for (const Limit* limit : members(group, op.limits())) breaking[limit->rule()] = group.says;
  }
  Json implementations = Json::array();
  for (const Implementation& implementation : spec.implementations)
    implementations.push_back(implementation.name);
  const Tests tests = tests_of(op);
  return {{"name", op.name()},
          {"group", spec.group},
          {"engine", engine_name(op.engine())},
          {"returns", op.returns()},
          {"params", params},
          {"doc", {{"en", spec.doc.en}, {"zh", spec.doc.zh}}},
          {"operands", operands},
          {"limits", rules(op.limits())},
          {"breaking_a_limit", breaking},
          {"preferred", rules(op.preferred())},
          {"numerics", numerics_name(spec.numerics)},
          {"takes", cost_text(op)},
          {"implementations", implementations},
          {"tests", tests.all()},
          {"tests_recorded_calls", tests.recorded},
          {"tests_naming_it", tests.named},
          {"tests_random_calls", tests.differential},
          {"chip", chip.name},
          {"state", state_text(op)},
          {"tier", front_end.tier == nullptr ? Json() : Json(front_end.tier(op.name()))}};
}

namespace {

// Of the groups that a lesson is about: what they do, and the lesson.
struct Family {
  std::string_view group, title, lesson;
};
constexpr Family kFamilies[] = {
    {"common", "launch, parallel regions, waiting", "1-hello.md"},
    {"memory-info", "sizes and addresses of memories", "4-larger-than-local-memory.md"},
    {"utils", "strides of layouts", "2-where-a-tensor-lies.md"},
    {"util", "strides, types, addresses", "2-where-a-tensor-lies.md"},
    {"gdma", "copies", "3-copy-and-compute.md"},
    {"bdc-memory", "copies and constants inside an NPU", "3-copy-and-compute.md"},
    {"bdc-nn", "convolutions, pooling, bias and scale", "7-convolutions-and-products.md"},
    {"bdc-mm", "matrix products", "7-convolutions-and-products.md"},
};

const Family* family_of(std::string_view group) {
  const auto* const found = std::ranges::find(kFamilies, group, &Family::group);
  return found == std::end(kFamilies) ? nullptr : found;
}

// Functions that no chip here has have a row and no section.
bool has_section(const Op& op) {
  return op.spec().absence != Absence::kLaterChip;
}

std::string family_markdown(std::string_view group, std::span<const Op* const> ops) {
  std::string text = fmt::format(
      "## {}\n\n| Function | Engine | Numerics | What it does |\n|---|---|---|---|\n", group);
  for (const Op* op : ops) {
    std::string anchor(op->name());  // headings become anchors in lower case
    for (char& c : anchor) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string name = has_section(*op) ? fmt::format("[`{}`](#{})", op->name(), anchor)
                                              : fmt::format("`{}`", op->name());
    const std::string_view does = has_section(*op) ? op->spec().doc.en : op->spec().absence_reason;
    text += fmt::format("| {} | {} | {} | {} |\n", name, engine_name(op->engine()),
                        state_or_numerics(*op), cell(does));
  }
  text += "\n";
  for (const Op* op : ops) {
    if (has_section(*op)) text += op_markdown(*op);
  }
  return text;
}

void end_page(std::string& text) {
  while (text.ends_with("\n\n")) text.pop_back();
}

}  // namespace

std::string ops_markdown(const Chip& chip, std::span<const Op* const> ops) {
  std::string text(front_end_of(chip).reference_page);
  for (const auto& [group, members] : by_group(ops)) text += family_markdown(group, members);
  end_page(text);
  return text;
}

std::vector<ReferencePage> ops_pages(const Chip& chip, std::span<const Op* const> ops) {
  std::vector<ReferencePage> pages(1);
  std::string index(front_end_of(chip).reference_page);
  index += "| Family | Functions | of them implemented | |\n|---|---|---|---|\n";
  for (const auto& [group, members] : by_group(ops)) {
    const auto have = std::ranges::count_if(
        members, [](const Op* op) { return op->spec().absence == Absence::kNone; });
    const Family* const family = family_of(group);
    index += fmt::format("| [{0}]({0}.md) | {1} | {2} | {3} |\n", group, members.size(), have,
                         family == nullptr ? std::string_view() : family->title);
    std::string text = family_markdown(group, members).substr(1);  // its heading is the page's
    if (family != nullptr) {
      const std::string lesson =
          fmt::format("\nLesson: [{0}](../../learn/{1}), [中文](../../zh/learn/{1}).\n",
                      family->title, family->lesson);
      text.insert(text.find('\n') + 1, lesson);
    }
    end_page(text);
    pages.push_back({std::string(group) + ".md", std::move(text)});
  }
  pages.front() = {"index.md", std::move(index)};
  return pages;
}

}  // namespace tensorlane::cli
