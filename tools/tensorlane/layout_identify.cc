// tensorlane layout identify: which named layout some strides are.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "layout_facts.h"
#include "layout_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"
#include "tensorlane/layout/convert.h"

namespace tensorlane::cli {
namespace {

// What the user knows: a tensor, some strides, perhaps the memory it is in.
struct Asked {
  LayoutSpec spec;  // without strides
  std::vector<std::int64_t> strides;
  std::optional<bool> local;
};

// A layout whose strides are those asked for, wherever some element is a stride from another.
struct Match {
  NamedLayout tensor;
  bool same_strides;  // else they differ where they mean nothing for this shape
};

struct Identified {
  std::vector<Match> matches;
  std::vector<NamedLayout> others;  // of the same memory, with other strides
};

bool same_places(const NamedLayout& tensor, const std::vector<std::int64_t>& strides) {
  const std::vector<std::string> idle = idle_strides(tensor);
  for (std::size_t i = 0; i < strides.size(); ++i) {
    const bool differs = tensor.strides[i] != strides[i];
    if (differs &&
        (idle.empty() ||
         std::ranges::find(idle, axis_name(tensor.axes[static_cast<int>(i)])) == idle.end()))
      return false;
  }
  return true;
}

// The tensor in this layout, where it has one by strides alone.
std::optional<NamedLayout> candidate(const LayoutInfo& info, const Asked& asked) {
  if (info.takes_strides && info.either_memory()) return std::nullopt;  // free: any are its own
  LayoutSpec named = asked.spec;
  named.system = info.system;
  named.layout = info.name;
  try {
    NamedLayout tensor = make_layout(named);
    if (tensor.strides.empty() || tensor.strides.size() != asked.strides.size())
      return std::nullopt;
    return tensor;
  } catch (const UserError&) {  // not of this rank, element type, start or offset
    return std::nullopt;
  }
}

// Numbers in other units, or along other axes, mean the layout only where they are all its own.
void consider(const LayoutInfo& info, const Asked& asked, bool local, Identified& found) {
  const std::optional<NamedLayout> tensor = candidate(info, asked);
  if (!tensor || tensor->is_local() != local) return;
  const bool same = tensor->strides == asked.strides;
  const bool plain = info.stride_unit == StrideUnit::kElement && info.axes == Axes("NCHW");
  if (same || (plain && same_places(*tensor, asked.strides))) {
    found.matches.push_back({*tensor, same});
  } else if (plain) {
    found.others.push_back(*tensor);
  }
}

// Axes in another order than the shape's (channels last): shape and strides in the layout's order.
void consider_in_order_of(const LayoutInfo& info, const Asked& asked, Identified& found) {
  constexpr Axes kGiven("NCHW");
  if (!info.row_major || info.axes == kGiven || !info.axes.permutes(kGiven) ||
      asked.spec.shape.size() != 4 || asked.strides.size() != 4)
    return;
  Asked turned = asked;
  turned.spec.shape = converted_shape(info.axes, kGiven, asked.spec.shape);
  turned.strides = converted_shape(info.axes, kGiven, asked.strides);
  consider(info, turned, false, found);
}

// Of local memory first: without a wish, system memory counts where nothing there matches.
Identified identify(const Asked& asked) {
  Identified found;
  for (const bool local : {true, false}) {
    if (asked.local.value_or(local) != local) continue;
    for (const LayoutInfo& info : layouts_of(asked.spec.system))
      consider(info, asked, local, found);
    if (!local) {
      for (const LayoutInfo& info : layouts_of(System::kMace))
        consider_in_order_of(info, asked, found);
    }
    if (!found.matches.empty()) break;
  }
  return found;
}

// Strides that fit no layout are an error and no question.
void check_strides(const Asked& asked) {
  const std::vector<std::int64_t>& strides = asked.strides;
  if (strides.size() != asked.spec.shape.size() && strides.size() != 4) {
    user_error("--strides [{}] has {} numbers, --shape [{}] {}", fmt::join(strides, ","),
               strides.size(), fmt::join(asked.spec.shape, ","), asked.spec.shape.size());
  }
  for (const std::int64_t stride : strides) {
    if (stride < 0) user_error("--strides [{}]: {} is below 0", fmt::join(strides, ","), stride);
  }
}

Json as_json(const Match& one) {
  return {{"layout", one.tensor.info->name},
          {"chip", one.tensor.spec.owner_name()},
          {"axes", axis_names(one.tensor)},
          {"strides", one.tensor.strides},
          {"stride_unit", stride_unit_name(one.tensor.info->stride_unit)},
          {"same_strides", one.same_strides},
          {"strides_call", one.tensor.strides_call()}};
}

// "aligned", or "mace:NHWC" where another system is asked about.
std::string name_of(const NamedLayout& tensor, const Asked& asked) {
  if (tensor.spec.system == asked.spec.system) return std::string(tensor.info->name);
  return fmt::format("{}:{}", system_name(tensor.spec.system), tensor.info->name);
}

void print_match(const Match& one, const Asked& asked) {
  const NamedLayout& tensor = one.tensor;
  fmt::print("{}: {}\n", name_of(tensor, asked), tensor.info->summary_text());
  if (tensor.axes.size() == 4 && tensor.axes != Axes("NCHW"))
    fmt::print("  {}\n", tr("axes {} = ({})", fmt::join(axis_names(tensor), ", "),
                            fmt::join(tensor.spec.shape, ", ")));
  if (tensor.info->stride_unit != StrideUnit::kElement)
    fmt::print("  {}\n",
               tr("strides in {}", translated(stride_unit_name(tensor.info->stride_unit))));
  if (!one.same_strides)
    fmt::print("  {}\n",
               tr("its strides are {}; {} may be anything, no two elements are that far apart",
                  fmt::join(tensor.strides, ", "), fmt::join(idle_strides(tensor), ", ")));
  if (!tensor.strides_call().empty()) fmt::print("  {}\n", tensor.strides_call());
}

void run(const LayoutOptions& options, const LayoutOutput& output) {
  Asked asked{options.spec(), {}, {}};
  asked.strides.swap(asked.spec.strides);
  asked.spec.system_memory = false;
  if (!options.memory.empty()) asked.local = options.memory == "local";
  check_strides(asked);
  const auto& [matches, others] = identify(asked);
  if (output.wants_json()) {
    Json list = Json::array();
    for (const Match& one : matches) list.push_back(as_json(one));
    output.write_json(list);
  }
  if (!output.wants_text()) return;
  for (const Match& one : matches) print_match(one, asked);
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
      "stride that means nothing for the shape is another. Several may: 4N and aligned can have "
      "the\n"
      "same numbers in other units.\n"
      "\n"
      "Examples:\n"
      "  tensorlane layout identify --shape 2,3,4,5 --strides 32,32,5,1\n"
      "  tensorlane layout identify --shape 2,3,4,5 --strides 60,20,5,1\n"
      "  tensorlane layout identify --shape 6,5,4,5 --dtype int8 --strides 32,32,5,1\n"
      "  tensorlane layout identify --shape 2,3,4,5 --strides 60,1,15,3\n"
      "  tensorlane layout identify --chip bm1684x --shape 1,64,28,28 --strides 896,896,32,1 "
      "--dtype fp16\n");
  auto options = std::make_shared<LayoutOptions>();
  auto output = std::make_shared<LayoutOutput>();
  identify->add_option("--chip", options->chip, "whose layouts")
      ->capture_default_str()
      ->offer(owner_words());
  identify->add_option("--dtype", options->dtype, "element type")
      ->capture_default_str()
      ->offer(dtype_words());
  identify->add_option("--shape", options->shape, "extents n,c,h,w, of others in their own order")
      ->required();
  identify
      ->add_option("--strides", options->strides,
                   "as 'describe' prints them: in elements, of 4N and 2N in words, of 2IC in pairs")
      ->required();
  identify->add_option("--cols-per-channel", options->cols_per_channel, "for matrix and vector");
  identify->add_option("--start-npu", options->start_npu, "NPU of the first channel")
      ->capture_default_str();
  identify->add_option("--memory", options->memory,
                       "local or system; without it the first in which they have a name");
  identify->add_option("--npus", options->npus, "another number of NPUs than the chip has");
  output->add_to(*identify, false);
  identify->callback([options, output] { run(*options, *output); });
}

}  // namespace tensorlane::cli
