// tensorlane layout: what layouts there are and where the elements of a tensor lie in them.
#include <fmt/format.h>

#include <cstdio>

#include "commands.h"
#include "layout_options.h"
#include "tensorlane/base/language.h"
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

Json layout_json(const std::string& owners, const LayoutInfo& info) {
  return {{"chips", owners},         {"name", info.name}, {"axes", info.axes.text()},
          {"summary", info.summary}, {"rule", info.rule}, {"source", info.source}};
}

void add_list_command(App& layout) {
  App* list = layout.add_subcommand("list", "All layouts by system, with their rules");
  list->footer("Example:\n  tensorlane layout list --chip mace\n");
  struct Options {
    std::string chip;
    JsonOption json;
  };
  auto options = std::make_shared<Options>();
  list->add_option("--chip", options->chip,
                   "only those of a chip of 'tensorlane chips', or of mace");
  options->json.add_to(*list);
  list->callback([options] {
    const std::string& chip = options->chip;
    Json all = Json::array();
    for (const System system : kAllSystems) {
      if (!chip.empty() && find_owner(chip).system != system) continue;
      const std::string owners(chip.empty() ? owners_of(system) : find_owner(chip).name);
      for (const LayoutInfo& info : layouts_of(system)) all.push_back(layout_json(owners, info));
      if (options->json.replaces_text()) continue;
      fmt::print("{}\n", owners);
      for (const LayoutInfo& info : layouts_of(system)) {
        fmt::print("  {:<27} {:<5} {}\n", info.name, info.axes.text(), info.summary_text());
        fmt::print("  {:<33} {}\n", "", translated(info.rule));
      }
    }
    options->json.write(all);
  });
}

}  // namespace

void add_layout_command(App& app) {
  App* layout = app.add_subcommand("layout",
                                   "Layouts of BM1684, BM1684X and MACE: describe, locate, "
                                   "identify, convert, verify, draw, plan");
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
  add_loops_command(*layout);
  add_verify_command(*layout);
  add_draw_command(*layout);
  add_plan_command(*layout);
  add_takers_command(*layout);
}

}  // namespace tensorlane::cli
