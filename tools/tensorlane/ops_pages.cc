#include "ops_pages.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "op_example.h"
#include "op_facts.h"
#include "ops_text.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/ops/entry_text.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::cli {
namespace {

// The families of functions: what they do, and the lesson or guide that says more, a page of docs.
struct Family {
  std::string_view group, title, page;
};
constexpr Family kFamilies[] = {
    {"common", msg("launch, parallel regions, waiting"), "learn/1-hello.md"},
    {"multi-core", msg("several cores"), "what-runs-where.md"},
    {"memory-info", msg("sizes and addresses of memories"), "learn/4-larger-than-local-memory.md"},
    {"utils", msg("strides of layouts"), "learn/2-where-a-tensor-lies.md"},
    {"util", msg("strides, types, addresses"), "learn/2-where-a-tensor-lies.md"},
    {"gdma", msg("copies"), "learn/3-copy-and-compute.md"},
    {"sdma", msg("copies by the SDMA engine"), "what-runs-where.md"},
    {"cdma", msg("copies between chips"), "what-runs-where.md"},
    {"hau", msg("sorting"), "timing.md"},
    {"bdc-memory", msg("copies and constants inside an NPU"), "learn/3-copy-and-compute.md"},
    {"bdc-cast", msg("conversions of types"), "learn/3-copy-and-compute.md"},
    {"bdc-fp32-unary", msg("functions of one fp32 tensor"), "learn/6-all-lanes.md"},
    {"bdc-fp32-binary", msg("arithmetic and comparisons of fp32 tensors"),
     "learn/3-copy-and-compute.md"},
    {"bdc-32bit", msg("bits, shifts and integers of 32 bits"), "learn/3-copy-and-compute.md"},
    {"bdc-elementwise", msg("element by element, any type"), "learn/3-copy-and-compute.md"},
    {"bdc-special", msg("special functions and their tables"), "learn/6-all-lanes.md"},
    {"bdc-fp", msg("floating point arithmetic"), "learn/3-copy-and-compute.md"},
    {"bdc-int", msg("integer arithmetic"), "learn/3-copy-and-compute.md"},
    {"bdc-select", msg("comparisons and selections"), "learn/3-copy-and-compute.md"},
    {"bdc-gather", msg("gathers and scatters"), "timing.md"},
    {"bdc-nn", msg("convolutions, pooling, bias and scale"),
     "learn/7-convolutions-and-products.md"},
    {"bdc-mm", msg("matrix products"), "learn/7-convolutions-and-products.md"},
    {"bdc-quant", msg("quantisation of tensors"), "learn/2-where-a-tensor-lies.md"},
    {"quant", msg("quantisation of single numbers"), "what-runs-where.md"},
    {"bdc-fixed-point", msg("fixed point arithmetic of packed integers"),
     "learn/2-where-a-tensor-lies.md"},
    {"undeclared-export", msg("exported without a declaration"), "learn/2-where-a-tensor-lies.md"},
};

const Family& family_called(std::string_view group) {
  const auto* const found = std::ranges::find(kFamilies, group, &Family::group);
  TL_INTERNAL_CHECK(found != std::end(kFamilies));
  return *found;
}

struct Page {
  std::string_view page, title;
};
constexpr Page kPages[] = {
    {"learn/1-hello.md", msg("hello")},
    {"learn/2-where-a-tensor-lies.md", msg("where a tensor lies")},
    {"learn/3-copy-and-compute.md", msg("copy and compute")},
    {"learn/4-larger-than-local-memory.md", msg("larger than local memory")},
    {"learn/6-all-lanes.md", msg("every NPU at work")},
    {"learn/7-convolutions-and-products.md", msg("convolutions and products")},
    {"what-runs-where.md", msg("what runs where")},
    {"timing.md", msg("what commands take, and when they start")},
};

// The line of a family's page that leads to the lesson or guide about it.
std::string leads_to(const Family& family) {
  const auto* const found = std::ranges::find(kPages, family.page, &Page::page);
  TL_INTERNAL_CHECK(found != std::end(kPages));
  const std::string_view title = translated(found->title);
  return family.page.starts_with("learn/") ? tr("Lesson: [{}](../../{}).", title, family.page)
                                           : tr("Guide: [{}](../../{}).", title, family.page);
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

// The pictures of the gallery that show how operands lie, by the names of the layouts.
struct LayoutPicture {
  std::string_view layout, bm1684, bm1684x, says;
};
constexpr LayoutPicture kLayoutPictures[] = {
    {"aligned", "align_fp32_start_2_2_3_4_5", "bm1684x_aligned",
     msg("every channel begins at a multiple of the alignment")},
    {"compact", "compact_fp32_start_2_2_3_4_5", "bm1684x_compact_start_2",
     msg("channels and batches follow each other without gaps")},
    {"line-aligned", "", "bm1684x_line_aligned",
     msg("every row begins at a multiple of the alignment")},
    {"matrix", "matrix_w_15", "bm1684x_matrix_w_20",
     msg("the columns of each row in pieces, a channel for each")},
    {"4N", "aligned_4N", "", msg("four batches of 8-bit elements in a word")},
    {"2N", "aligned_2N", "", msg("two batches of 16-bit elements in a word")},
    {"2IC", "two_ic", "", msg("pairs of input channels side by side")},
    {"32IC", "", "bm1684x_32ic", msg("32 input channels side by side")},
    {"64IC", "", "bm1684x_64ic", msg("64 input channels side by side")},
};

bool in_layout_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
}

std::string_view picture_file(const LayoutPicture& picture, System system) {
  return system == System::kBm1684 ? picture.bm1684 : picture.bm1684x;
}

// Where in `text` the name of a layout stands as a word; npos where it does not.
std::size_t find_layout_name(std::string_view text, std::string_view layout) {
  for (std::size_t at = text.find(layout); at != std::string_view::npos;
       at = text.find(layout, at + 1)) {
    const std::size_t end = at + layout.size();
    if ((at == 0 || !in_layout_name(text[at - 1])) &&
        (end == text.size() || !in_layout_name(text[end])))
      return at;
  }
  return std::string_view::npos;
}

// The names of layouts lead to their pictures at the end of the page.
std::string with_links(std::string text, System system) {
  for (const LayoutPicture& picture : kLayoutPictures) {
    if (picture_file(picture, system).empty()) continue;
    const std::size_t at = find_layout_name(text, picture.layout);
    if (at == std::string::npos) continue;
    std::string anchor(picture.layout);
    for (char& c : anchor) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    text.replace(at, picture.layout.size(), fmt::format("[{}](#{})", picture.layout, anchor));
  }
  return text;
}

// The pictures of the layouts that operands of a family have, each once.
std::string pictures_markdown(System system, std::span<const Op* const> ops) {
  std::string text;
  for (const LayoutPicture& picture : kLayoutPictures) {
    const std::string_view file = picture_file(picture, system);
    const bool used = !file.empty() && std::ranges::any_of(ops, [&](const Op* op) {
      return op->spec().absence == Absence::kNone &&
             std::ranges::any_of(op->operands(), [&](const Op::CompiledOperand& operand) {
               return find_layout_name(layout_text(*operand.spec, ""), picture.layout) !=
                      std::string::npos;
             });
    });
    if (!used) continue;
    text += fmt::format("### {0}\n\n{1}\n\n![{0}: {2}](../../gallery/{3}.svg)\n\n", picture.layout,
                        capitalised(translated(picture.says)), translated(picture.says), file);
  }
  if (text.empty()) return text;
  return tr("## Where the operands lie") + "\n\n" +
         tr("Drawn for a chip of four NPUs. All layouts: [gallery](../../gallery.md), your own: "
            "[playground](../../playground.md).") +
         "\n\n" + text;
}

// Of a page with pictures: the names of layouts are links.
enum class Pictures { kNone, kLinked };

std::string op_markdown(const Chip& chip, const Op& op, Pictures pictures) {
  const OpSpec& spec = op.spec();
  std::string text =
      fmt::format("### {}\n\n{}\n\n```c\n{};\n```\n\n", op.name(), purpose(op), signature_text(op));
  if (!op.operands().empty()) {
    text += tr("| Operand | | Memory | Type | Shape | Layout |") + "\n|---|---|---|---|---|---|\n";
    for (const Op::CompiledOperand& compiled : op.operands()) {
      const OperandSpec& operand = *compiled.spec;
      std::string layout = layout_text(operand, "`");
      if (pictures == Pictures::kLinked)
        layout = with_links(std::move(layout), front_end_of(chip).layouts);
      text +=
          fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", operand.param,
                      translated(role_text(operand.role)), translated(memory_name(operand.memory)),
                      dtype_text(operand), cell(shape_text(operand)), layout);
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
    if (const std::vector<std::string> lines = in_place_lines(op); !lines.empty())
      text += tr("In place: {}.", fmt::join(lines, "; ")) + "\n\n";
    if (const std::string cost = cost_in_language(op); !cost.empty())
      text += tr("Takes {}.", cost) + "\n\n";
  }
  if (const std::string chips = only_on_chips(op); !chips.empty())
    text += tr("On {}.", chips) + "\n\n";
  if (const std::string example = example_of_call(chip_with(chip, op), op); !example.empty())
    text += fmt::format("{}\n\n```c\n{}\n```\n\n", tr("Example:"), example);
  return text;
}

// Functions that no chip here has have a row and no section.
bool has_section(const Op& op) {
  return op.spec().absence != Absence::kLaterChip;
}

// The table of a family and its functions.
std::string functions_markdown(const Chip& chip, std::span<const Op* const> ops,
                               Pictures pictures) {
  std::string text =
      tr("| Function | What it does | Engine | Numerics |") + "\n|---|---|---|---|\n";
  for (const Op* op : ops) {
    std::string anchor(op->name());  // headings become anchors in lower case
    for (char& c : anchor) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const std::string name = has_section(*op) ? fmt::format("[`{}`](#{})", op->name(), anchor)
                                              : fmt::format("`{}`", op->name());
    const std::string does =
        has_section(*op) ? purpose(*op) : entry_text(op->spec().absence_reason);
    text += fmt::format("| {} | {} | {} | {} |\n", name, cell(does),
                        translated(engine_name(op->engine())), state_or_numerics(*op));
  }
  text += "\n";
  for (const Op* op : ops) {
    if (has_section(*op)) text += op_markdown(chip, *op, pictures);
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
    text += fmt::format("## {}\n\n{}", group, functions_markdown(chip, members, Pictures::kNone));
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
    const Family& family = family_called(group);
    const std::string_view title = translated(family.title);
    index +=
        fmt::format("| [{0}]({0}.md) | {1} | {2} | {3} |\n", group, members.size(), have, title);
    std::string text = "# " + tr("{}: {}", group, title) + "\n\n" + leads_to(family) + "\n\n";
    text += functions_markdown(chip, members, Pictures::kLinked);
    text += pictures_markdown(front_end_of(chip).layouts, members);
    end_page(text);
    pages.push_back({std::string(group) + ".md", std::move(text)});
  }
  pages.front() = {"index.md", std::move(index)};
  return pages;
}

}  // namespace tensorlane::cli
