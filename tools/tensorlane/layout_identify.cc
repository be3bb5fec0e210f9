// tensorlane layout identify: which named layout some strides are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "layout_facts.h"
#include "layout_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {
namespace {

// A layout that puts every element where the strides do.
struct Match {
  NamedLayout tensor;
  bool same_strides;  // else they differ where they mean nothing for this shape
};

// Strides say where elements lie as far as an element is a stride away from another.
bool same_places(const NamedLayout& a, const NamedLayout& b) {
  if (a.layout.space() != b.layout.space() || a.axes != b.axes ||
      a.strides.size() != b.strides.size())
    return false;
  const std::vector<std::string> idle = idle_strides(a);
  for (std::size_t i = 0; i < a.strides.size(); ++i) {
    const std::string name = axis_name(a.axes[static_cast<int>(i)]);
    if (a.strides[i] != b.strides[i] && std::ranges::find(idle, name) == idle.end()) return false;
  }
  return true;
}

// The layout of this tensor, where it has one by the strides alone.
std::optional<NamedLayout> candidate(const LayoutInfo& info, const LayoutSpec& spec) {
  if (info.strides_call.empty() || info.stride_unit != StrideUnit::kElement) return std::nullopt;
  LayoutSpec named = spec;
  named.layout = info.name;
  named.strides.clear();
  named.system_memory = false;
  try {
    return make_layout(named);
  } catch (const UserError&) {  // not of this rank, element type or offset
    return std::nullopt;
  }
}

struct Identified {
  std::vector<Match> matches;
  std::vector<NamedLayout> others;  // of the same memory, with other strides
};

Identified layouts_with(const LayoutSpec& spec) {
  const NamedLayout asked = make_layout(spec);
  Identified found;
  for (const LayoutInfo& info : layouts_of(spec.system)) {
    const std::optional<NamedLayout> tensor = candidate(info, spec);
    if (!tensor || tensor->layout.space() != asked.layout.space()) continue;
    if (same_places(*tensor, asked)) {
      found.matches.push_back({*tensor, tensor->strides == asked.strides});
    } else {
      found.others.push_back(*tensor);
    }
  }
  return found;
}

// The same in system memory, where these strides may give two elements one place.
void add_system_memory(LayoutSpec spec, Identified& found) {
  spec.system_memory = true;
  try {
    Identified in_system = layouts_with(spec);
    found.matches = std::move(in_system.matches);
    std::ranges::move(in_system.others, std::back_inserter(found.others));
  } catch (const UserError&) {
    return;
  }
}

void run(const LayoutOptions& options, const LayoutOutput& output) {
  LayoutOptions request = options;
  request.layout = layout_names::kFree;
  const LayoutSpec spec = request.spec();
  Identified found = layouts_with(spec);
  if (found.matches.empty() && options.memory.empty()) add_system_memory(spec, found);
  const auto& [matches, others] = found;
  if (output.wants_json()) {
    Json list = Json::array();
    for (const Match& one : matches) {
      list.push_back({{"layout", one.tensor.info->name},
                      {"strides", one.tensor.strides},
                      {"same_strides", one.same_strides},
                      {"strides_call", one.tensor.strides_call()}});
    }
    output.write_json(list);
  }
  if (!output.wants_text()) return;
  for (const Match& one : matches) {
    fmt::print("{}: {}\n", one.tensor.info->name, one.tensor.info->summary_text());
    if (!one.same_strides)
      fmt::print(
          "  {}\n",
          tr("its strides are {}; {} may be anything, no two elements are that far apart",
             fmt::join(one.tensor.strides, ", "), fmt::join(idle_strides(one.tensor), ", ")));
    if (!one.tensor.strides_call().empty()) fmt::print("  {}\n", one.tensor.strides_call());
  }
  if (matches.empty()) {
    fmt::print("{}\n", tr("none: these strides have no name; operands that take strides take them "
                          "as they are"));
    for (const NamedLayout& other : others)
      fmt::print("  {}\n", tr("{:<12} has {}", other.info->name, fmt::join(other.strides, ", ")));
  }
}

}  // namespace

void add_identify_command(App& layout) {
  App* identify = layout.add_subcommand(
      "identify", "Which layout has these strides, and which call gives them");
  identify->footer(
      "A layout is named where it puts every element of this shape where the strides do, even if "
      "a\n"
      "stride that means nothing for the shape is another.\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout identify --shape 2,3,4,5 --strides 32,32,5,1\n"
      "  tensorlane layout identify --shape 2,3,4,5 --strides 60,20,5,1\n"
      "  tensorlane layout identify --chip bm1684x --shape 1,64,28,28 --strides 896,896,32,1 "
      "--dtype fp16\n");
  auto options = std::make_shared<LayoutOptions>();
  auto output = std::make_shared<LayoutOutput>();
  identify->add_option("--chip", options->chip, "whose layouts")
      ->capture_default_str()
      ->offer(chip_names());
  identify->add_option("--dtype", options->dtype, "element type")
      ->capture_default_str()
      ->offer(dtype_words());
  identify->add_option("--shape", options->shape, "extents n,c,h,w")->required();
  identify->add_option("--strides", options->strides, "in elements, n,c,h,w")->required();
  identify->add_option("--start-npu", options->start_npu, "NPU of the first channel")
      ->capture_default_str();
  identify->add_option("--memory", options->memory,
                       "local or system; without it the first in which they have a name");
  identify->add_option("--npus", options->npus, "another number of NPUs than the chip has");
  output->add_to(*identify, false);
  identify->callback([options, output] { run(*options, *output); });
}

}  // namespace tensorlane::cli
