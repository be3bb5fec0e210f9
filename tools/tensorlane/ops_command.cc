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
#include "tensorlane/okk/define.h"

namespace tensorlane::cli {
namespace {

struct Options {
  std::string pattern;
  bool json = false;
  bool markdown = false;
};

std::vector<const Op*> select(const std::string& pattern) {
  std::vector<const Op*> selected;
  std::vector<std::string_view> names;
  for (const Op* op : okk::op_list()) {
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

void run(const Options& options) {
  const std::vector<const Op*> ops = select(options.pattern);
  if (options.json) {
    auto list = nlohmann::ordered_json::array();
    for (const Op* op : ops) list.push_back(op_json(*op));
    fmt::print("{}\n", list.dump(1));
  } else if (options.markdown) {
    fmt::print("{}", ops_markdown(ops));
  } else if (ops.size() == 1) {
    fmt::print("{}", op_details(*ops.front(), stdout_terminal()));
  } else {
    fmt::print("{}", ops_table(ops, stdout_terminal()));
  }
}

}  // namespace

void add_ops_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "ops", "Every device function: engine, operands, layouts, limits, numerics, tests");
  command->add_option("PATTERN", options->pattern,
                      "Only functions with this text in their name or group; one function is shown "
                      "in full");
  CLI::Option* json = command->add_flag("--json", options->json, "As JSON");
  command->add_flag("--markdown", options->markdown, "As the page docs/reference/okkernel.md")
      ->excludes(json);
  command->footer(
      "Examples:\n"
      "  tensorlane ops\n"
      "  tensorlane ops gdma\n"
      "  tensorlane ops okk_bdc_conv2d\n"
      "  tensorlane ops --json > ops.json\n");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
