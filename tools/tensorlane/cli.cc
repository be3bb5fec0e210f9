#include "commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/names.h"

namespace tensorlane::cli {
namespace {

constexpr int kWrongInput = 2;
constexpr int kDefect = 3;

// The subcommand that the words name, as deep as they do.
const CLI::App* deepest(const CLI::App* app) {
  for (const CLI::App* sub : app->get_subcommands()) return deepest(sub);
  return app;
}

// What a word that nothing expected was probably meant to be.
std::string suggestion(const CLI::App& app, const std::string& word) {
  std::vector<std::string> known;
  if (word.starts_with("-")) {
    for (const CLI::Option* option : app.get_options()) {
      for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
    }
  } else {
    for (const CLI::App* sub : app.get_subcommands({})) known.push_back(sub->get_name());
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  return known.empty() ? std::string() : did_you_mean(word, names);
}

int report(const CLI::App& app, std::string_view what) {
  std::string name = app.get_name();
  for (const CLI::App* parent = app.get_parent(); parent != nullptr;
       parent = parent->get_parent()) {
    name = fmt::format("{} {}", parent->get_name(), name);
  }
  fmt::print(stderr, "{}: {}\n", name, what);
  return kWrongInput;
}

}  // namespace

int run_cli(int argc, const char* const* argv) {
  CLI::App app{"TensorLane: a workbench for Sophon TPU kernels and tensor layouts", "tensorlane"};
  app.set_version_flag("--version", "tensorlane " TENSORLANE_VERSION);
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  tensorlane run -- ./plus_one\n"
      "  tensorlane layout describe --chip bm1684 --layout aligned --dtype fp32 --shape 1,3,32,32\n"
      "  tensorlane ops okk_bdc_conv2d\n"
      "  tensorlane SUBCOMMAND --help\n");
  std::vector<std::string> words(argv + 1, argv + argc);
  add_run_command(app, words);
  add_layout_command(app);
  add_opencl_command(app);
  add_ops_command(app);
  add_chips_command(app);
  add_conformance_command(app);
  add_estimate_command(app);
  add_explain_command(app);
  add_replay_command(app);
  add_validate_command(app);
  try {
    std::reverse(words.begin(), words.end());  // as CLI11 wants them
    app.parse(words);
    return 0;
  } catch (const ExitStatus& exit) {
    return exit.status;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // --help, --version
    // A misspelt word is the likeliest reason for a missing one.
    const CLI::App* sub = deepest(&app);
    const std::vector<std::string> extras = app.remaining(true);
    if (extras.empty() && !sub->get_subcommands({}).empty()) {  // nothing asked for
      fmt::print("{}", app.help());
      return 0;
    }
    if (extras.empty()) return report(*sub, error.what());
    return report(*sub, fmt::format("'{}' was not expected{}", extras.front(),
                                    suggestion(*sub, extras.front())));
  } catch (const UserError& error) {
    return report(*deepest(&app), error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "tensorlane: {}\n", error.what());
    return kDefect;
  }
}

}  // namespace tensorlane::cli
