// tensorlane layout: what layouts there are and where the elements of a tensor lie in them.
#include <fmt/format.h>

#include <cstdio>

#include "commands.h"
#include "layout_options.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::cli {
namespace {

// "bm1684", or all chips whose kernels are written in the same interface.
std::string owners_of(System system) {
  std::string names;
  for (const Chip* chip : all_chips()) {
    if (front_end_of(*chip).layouts == system)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", chip->name);
  }
  return names.empty() ? std::string(system_name(system)) : names;
}

void add_list_command(App& layout) {
  App* list = layout.add_subcommand("list", "All layouts by system, with their rules");
  list->footer("Example:\n  tensorlane layout list --chip mace\n");
  auto chip = std::make_shared<std::string>();
  list->add_option("--chip", *chip, "only those of " + owner_names());
  list->callback([chip] {
    for (const System system : kAllSystems) {
      if (!chip->empty() && find_owner(*chip).system != system) continue;
      fmt::print("{}\n", chip->empty() ? owners_of(system) : find_owner(*chip).name);
      for (const LayoutInfo& info : layouts_of(system)) {
        fmt::print("  {:<27} {:<5} {}\n", info.name, info.axes.text(), info.summary);
        fmt::print("  {:<33} {}\n", "", info.rule);
      }
    }
  });
}

}  // namespace

void add_layout_command(App& app) {
  App* layout = app.add_subcommand(
      "layout",
      "Layouts of BM1684, BM1684X and MACE: describe, locate, identify, convert, draw, plan");
  layout->require_subcommand();
  layout->footer(
      "Examples:\n"
      "  tensorlane layout list\n"
      "  tensorlane layout describe --layout aligned --dtype fp32 --shape 2,3,4,5\n"
      "  tensorlane layout draw --layout aligned --shape 2,3,4,5 --npus 4 --npu-bytes 1024\n");
  add_list_command(*layout);
  add_describe_command(*layout);
  add_identify_command(*layout);
  add_locate_command(*layout);
  add_table_command(*layout);
  add_convert_command(*layout);
  add_draw_command(*layout);
  add_plan_command(*layout);
}

}  // namespace tensorlane::cli
