// tensorlane conformance: replays recorded calls.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>

#include "commands.h"
#include "implementation_option.h"
#include "json_option.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/conformance/case_runner.h"
#include "tensorlane/conformance/cases.h"
#include "tensorlane/conformance/result_text.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::cli {
namespace {

struct Options {
  std::string folder;
  std::string chip;
  std::string filter;
  std::string implementation;
  JsonOption json;
  bool quiet = false;
};

void run(const Options& options) {
  const FrontEnd& front_end = conformance::recorded_front_end(options.folder);
  const Chip& chip = options.chip.empty() ? front_end.chip : find_chip(options.chip);
  if (&front_end_of(chip) != &front_end) {
    user_error("'{}' calls functions of {}, the kernels of chip '{}' are written in {}",
               options.folder, front_end.api.title, chip.name, chip.api.title);
  }
  options.json.check();
  conformance::CaseReader recording(options.folder);
  conformance::RunOptions run_options;
  run_options.filter = options.filter;
  if (options.implementation == "reference") run_options.choice = ImplementationChoice::kReference;
  ProgressBar bar(stderr_terminal(), tr("conformance"), recording.size());
  std::uint64_t shown = 0;
  run_options.progress = [&] {
    bar.advance(recording.position() - shown);
    shown = recording.position();
  };
  const conformance::Result result = conformance::run_cases(recording, chip, run_options);
  bar.clear();
  if (result.total.all() == 0) {
    user_error("no case of '{}' has '{}' in its id", options.folder, options.filter);
  }
  if (options.json.wanted()) options.json.write_text(conformance::json_text(result));
  if (options.json.replaces_text()) {
    if (result.total.failed > 0) throw ExitStatus{1};
    return;
  }
  if (!options.quiet) std::fputs(conformance::table_text(result, false).c_str(), stdout);
  if (!options.quiet) std::fputs(conformance::exceptions_text(result).c_str(), stdout);
  std::fputs(conformance::failures_text(result).c_str(), stdout);
  fmt::print("{}\n",
             tr("{} cases: {} passed, {} failed, {} skipped, {} vendor quirks and exceptions",
                result.total.all(), result.total.passed, result.total.failed, result.total.skipped,
                result.total.quirk));
  if (result.total.failed > 0) throw ExitStatus{1};
}

}  // namespace

void add_conformance_command(App& app) {
  auto options = std::make_shared<Options>();
  App* command = app.add_subcommand(
      "conformance", "Replay recorded calls of device functions and compare memory byte by byte");
  command->add_option("DIR", options->folder, "Folder with cases.jsonl and data.bin, plain or .gz")
      ->required();
  command
      ->add_option("--chip", options->chip,
                   "Chip the calls were recorded on; the functions say it by themselves")
      ->type_name("CHIP");
  command->add_option("--filter", options->filter, "Only cases whose id contains this text")
      ->type_name("SUBSTR");
  add_implementation_option(*command, options->implementation);
  options->json.add_to(*command);
  command->add_flag("--quiet", options->quiet, "Only failing cases and the last line");
  command->footer(
      "Exit status: 0 when every case passes, 1 when one fails, 2 for bad input.\n\n"
      "Examples:\n"
      "  tensorlane conformance testdata/okk\n"
      "  tensorlane conformance testdata/okk --filter conv2d --reference\n"
      "  tensorlane conformance testdata/okk --quiet --json=result.json\n");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
