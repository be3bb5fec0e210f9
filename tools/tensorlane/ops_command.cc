// tensorlane ops: the list of device functions.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "commands.h"
#include "ops_text.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"
#include "tensorlane/front_ends/front_ends.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {
namespace {

struct Options {
  std::string pattern;
  std::string chip;
  bool json = false;
  bool markdown = false;
};

std::vector<const Op*> select(const Chip& chip, const std::string& pattern) {
  std::vector<const Op*> selected;
  std::vector<std::string_view> names;
  for (const Op* op : front_end_of(chip).ops().all()) {
    if (!chip.has_function(op->name())) continue;
    if (op->name() == pattern) return {op};
    if (op->name().find(pattern) != std::string_view::npos ||
        op->spec().group.find(pattern) != std::string_view::npos) {
      selected.push_back(op);
    }
    names.push_back(op->name());
  }
  if (selected.empty()) {
    const std::string nearest = did_you_mean(pattern, names);
    user_error("no device function has '{}' in its name or group{}", pattern,
               nearest.find("did you mean") != std::string::npos ? nearest : "");
  }
  return selected;
}

// "bm1684 (okk.h), bm1684x (tpu_kernel.h)".
std::string chips_and_headers() {
  std::string text;
  for (const Chip* chip : all_chips())
    text +=
        fmt::format("{}{} ({})", text.empty() ? "" : ", ", chip->name, front_end_of(*chip).header);
  return text;
}

void run(const Options& options) {
  // A name says which interface is meant.
  const FrontEnd* const named = front_end_of_function(options.pattern);
  const FrontEnd& front_end = named != nullptr ? *named : *all_front_ends().front();
  const Chip& chip = options.chip.empty() ? front_end.chip : find_chip(options.chip);
  const std::vector<const Op*> ops = select(chip, options.pattern);
  if (options.json) {
    auto list = Json::array();
    for (const Op* op : ops) list.push_back(op_json(chip, *op));
    fmt::print("{}\n", list.dump(1));
  } else if (options.markdown) {
    fmt::print("{}", ops_markdown(chip, ops));
  } else if (ops.size() == 1) {
    fmt::print("{}", op_details(*ops.front(), stdout_terminal()));
  } else {
    fmt::print("{}", ops_table(ops, stdout_terminal()));
  }
}

}  // namespace

void add_ops_command(App& app) {
  auto options = std::make_shared<Options>();
  App* command = app.add_subcommand(
      "ops", "Every device function: engine, operands, layouts, limits, numerics, tests");
  command->add_option("PATTERN", options->pattern,
                      "Only functions with this text in their name or group; one function is shown "
                      "in full");
  command
      ->add_option("--chip", options->chip,
                   "Chip whose functions are listed: " + chips_and_headers())
      ->type_name("CHIP");
  Option* json = command->add_flag("--json", options->json, "As JSON");
  command->add_flag("--markdown", options->markdown, "As the page of docs/reference")
      ->excludes(json);
  command->footer(
      "Examples:\n"
      "  tensorlane ops\n"
      "  tensorlane ops gdma\n"
      "  tensorlane ops okk_bdc_conv2d\n"
      "  tensorlane ops --chip bm1684x\n"
      "  tensorlane ops --json > ops.json\n");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
