#include "ops_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "op_facts.h"
#include "ops_text.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/ops/entry_text.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::cli {
namespace {

// The families of functions: what they do, and the lesson that is about them.
struct Family {
  std::string_view group, title, lesson = {};
};
constexpr Family kFamilies[] = {
    {"common", msg("launch, parallel regions, waiting"), "1-hello.md"},
    {"multi-core", msg("several cores")},
    {"memory-info", msg("sizes and addresses of memories"), "4-larger-than-local-memory.md"},
    {"utils", msg("strides of layouts"), "2-where-a-tensor-lies.md"},
    {"util", msg("strides, types, addresses"), "2-where-a-tensor-lies.md"},
    {"gdma", msg("copies"), "3-copy-and-compute.md"},
    {"sdma", msg("copies by the SDMA engine")},
    {"cdma", msg("copies between chips")},
    {"hau", msg("sorting")},
    {"bdc-memory", msg("copies and constants inside an NPU"), "3-copy-and-compute.md"},
    {"bdc-cast", msg("conversions of types")},
    {"bdc-fp32-unary", msg("functions of one fp32 tensor")},
    {"bdc-fp32-binary", msg("arithmetic and comparisons of fp32 tensors")},
    {"bdc-32bit", msg("bits, shifts and integers of 32 bits")},
    {"bdc-elementwise", msg("element by element, any type")},
    {"bdc-special", msg("special functions and their tables")},
    {"bdc-fp", msg("floating point arithmetic")},
    {"bdc-int", msg("integer arithmetic")},
    {"bdc-select", msg("comparisons and selections")},
    {"bdc-gather", msg("gathers and scatters")},
    {"bdc-nn", msg("convolutions, pooling, bias and scale"), "7-convolutions-and-products.md"},
    {"bdc-mm", msg("matrix products"), "7-convolutions-and-products.md"},
    {"bdc-quant", msg("quantisation of tensors")},
    {"quant", msg("quantisation of single numbers")},
    {"bdc-fixed-point", msg("fixed point arithmetic of packed integers")},
    {"undeclared-export", msg("exported without a declaration")},
};

std::string_view title_of(std::string_view group) {
  const auto* const found = std::ranges::find(kFamilies, group, &Family::group);
  TL_INTERNAL_CHECK(found != std::end(kFamilies));
  return translated(found->title);
}

std::string_view lesson_of(std::string_view group) {
  const auto* const found = std::ranges::find(kFamilies, group, &Family::group);
  return found == std::end(kFamilies) ? std::string_view() : found->lesson;
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

// Vertical bars end a cell of a table.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c);
  return out;
}

// The first letter a capital, where the language has them.
std::string capitalised(std::string_view text) {
  std::string out(text);
  out.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(out.front())));
  return out;
}

std::string op_markdown(const Op& op) {
  const OpSpec& spec = op.spec();
  std::string text =
      fmt::format("### {}\n\n{}\n\n```c\n{};\n```\n\n", op.name(), purpose(op), signature_text(op));
  if (!op.operands().empty()) {
    text += tr("| Operand | | Memory | Type | Shape | Layout |") + "\n|---|---|---|---|---|---|\n";
    for (const Op::CompiledOperand& compiled : op.operands()) {
      const OperandSpec& operand = *compiled.spec;
      text +=
          fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", operand.param,
                      translated(role_text(operand.role)), translated(memory_name(operand.memory)),
                      dtype_text(operand), cell(shape_text(operand)), layout_text(operand, "`"));
    }
    text += "\n";
  }
  const auto list = [&](std::string_view title, const std::vector<const Limit*>& limits) {
    if (limits.empty()) return;
    text += tr("{}:", capitalised(translated(title))) + "\n\n";
    for (const Limit* limit : limits) {
      text += fmt::format("- `{}`{}\n", shown_rule(*limit),
                          limit->source() == "observed" ? tr(" (observed)") : "");
    }
    text += "\n";
  };
  for (const LimitGroup& group : limit_groups()) list(group.title, members(group, op.limits()));
  list(msg("preferred"), pointers(op.preferred()));
  if (spec.absence != Absence::kNone) {
    text += tr("State: {}.", state_text(op)) + "\n\n";
  } else if (op.engine() != Engine::kNone) {
    text += tr("{}, {}. Recorded calls that it reproduces: {}.", engine_name(op.engine()),
               translated(numerics_name(spec.numerics)), tests_of(op).recorded) +
            "\n\n";
  }
  return text;
}

// Functions that no chip here has have a row and no section.
bool has_section(const Op& op) {
  return op.spec().absence != Absence::kLaterChip;
}

// The table of a family and its functions.
std::string functions_markdown(std::span<const Op* const> ops) {
  std::string text =
      tr("| Function | Engine | Numerics | What it does |") + "\n|---|---|---|---|\n";
  for (const Op* op : ops) {
    std::string anchor(op->name());  // headings become anchors in lower case
    for (char& c : anchor) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string name = has_section(*op) ? fmt::format("[`{}`](#{})", op->name(), anchor)
                                              : fmt::format("`{}`", op->name());
    const std::string does =
        has_section(*op) ? std::string(purpose(*op)) : entry_text(op->spec().absence_reason);
    text += fmt::format("| {} | {} | {} | {} |\n", name, translated(engine_name(op->engine())),
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
  std::string text(translated(front_end_of(chip).reference_page));
  for (const auto& [group, members] : by_group(ops))
    text += fmt::format("## {}\n\n{}", group, functions_markdown(members));
  end_page(text);
  return text;
}

std::vector<ReferencePage> ops_pages(const Chip& chip, std::span<const Op* const> ops) {
  std::vector<ReferencePage> pages(1);
  std::string index(translated(front_end_of(chip).reference_page));
  index += tr("| Family | Functions | of them implemented | |") + "\n|---|---|---|---|\n";
  for (const auto& [group, members] : by_group(ops)) {
    const auto have = std::ranges::count_if(
        members, [](const Op* op) { return op->spec().absence == Absence::kNone; });
    const std::string_view title = title_of(group);
    index +=
        fmt::format("| [{0}]({0}.md) | {1} | {2} | {3} |\n", group, members.size(), have, title);
    std::string text = "# " + tr("{}: {}", group, title) + "\n\n";
    if (const std::string_view lesson = lesson_of(group); !lesson.empty())
      text += tr("Lesson: [{}](../../learn/{}).", title, lesson) + "\n\n";
    text += functions_markdown(members);
    end_page(text);
    pages.push_back({std::string(group) + ".md", std::move(text)});
  }
  pages.front() = {"index.md", std::move(index)};
  return pages;
}

}  // namespace tensorlane::cli
