// tensorlane conformance: replays recorded calls.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "json_option.h"
#include "progress.h"
#include "run_settings.h"
#include "shard_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/conformance/case_runner.h"
#include "tensorlane/conformance/cases.h"
#include "tensorlane/conformance/result_text.h"
#include "tensorlane/front_ends/front_ends.h"

namespace tensorlane::cli {
namespace {

struct ConformanceOptions {
  std::string folder;
  std::string chip;
  std::string filter;
  std::string implementation;
  JsonOption json;
  ShardOptions shard;
  bool quiet = false;
};

// All that decides what becomes of a case but the case itself.
RunDigest digest_of_run(const ConformanceOptions& options, const Chip& chip) {
  RunDigest digest;
  for (const std::string_view text :
       {std::string_view(TENSORLANE_VERSION), chip.name, std::string_view(options.implementation)})
    digest.add(text);
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(options.folder)) {
    if (entry.is_regular_file()) files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  for (const std::string& file : files) digest.add_file(file);
  return digest;
}

Json row_of(const conformance::CaseResult& one, const RunDigest& digest) {
  return {{"key", digest.key(one.number)},
          {"number", one.number},
          {"id", one.id},
          {"function", one.function},
          {"quirk", one.quirk},
          {"call", one.call},
          {"why", one.why},
          {"exception", one.exception}};
}

conformance::CaseResult case_of(const Json& row) {
  return {.number = row.at("number").get<std::size_t>(),
          .id = row.at("id").get<std::string>(),
          .function = row.at("function").get<std::string>(),
          .quirk = row.at("quirk").get<bool>(),
          .call = row.at("call").get<std::string>(),
          .why = row.at("why").get<std::string>(),
          .exception = row.at("exception").get<std::string>()};
}

// The results of all parts.
std::vector<Json> merged(const ConformanceOptions& options, conformance::CaseReader& recording,
                         const RunDigest& digest) {
  std::vector<std::string> keys;
  conformance::RecordedCase recorded;
  for (std::size_t number = 0; recording.next(recorded); ++number) {
    if (recorded.id.find(options.filter) != std::string::npos) keys.push_back(digest.key(number));
  }
  return merged_rows(options.shard, keys);
}

void run(const ConformanceOptions& options) {
  const FrontEnd& front_end = conformance::recorded_front_end(options.folder);
  const Chip& chip = options.chip.empty() ? front_end.chip : find_chip(options.chip);
  if (&front_end_of(chip) != &front_end) {
    user_error("'{}' calls functions of {}, the kernels of chip '{}' are written in {}",
               options.folder, front_end.api.title, chip.name, chip.api.title);
  }
  options.json.check();
  conformance::CaseReader recording(options.folder);
  conformance::RunOptions run_options;
  const RunDigest digest = digest_of_run(options, chip);
  const Shard shard = chosen_shard(options.shard);
  run_options.filter = options.filter;
  run_options.part = shard.part;
  run_options.parts = shard.parts;
  if (options.implementation == "reference") run_options.choice = ImplementationChoice::kReference;
  std::vector<Json> rows;
  run_options.each = [&](const conformance::CaseResult& one) {
    rows.push_back(row_of(one, digest));
  };
  ProgressBar bar(stderr_terminal(), tr("conformance"), recording.size());
  std::uint64_t shown = 0;
  run_options.progress = [&] {
    bar.advance(recording.position() - shown);
    shown = recording.position();
  };
  conformance::Result result;
  if (options.shard.merge.empty()) {
    result = conformance::run_cases(recording, chip, run_options);
  } else {
    rows = merged(options, recording, digest);
    for (const Json& row : rows) conformance::add_case(result, case_of(row));
  }
  bar.clear();
  write_results(options.shard, rows);
  if (result.total.all() == 0 && shard.parts == 1) {
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
  auto options = std::make_shared<ConformanceOptions>();
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
  add_run_option(*command, "--impl", options->implementation);
  options->json.add_to(*command);
  add_shard_options(*command, options->shard);
  command->add_flag("--quiet", options->quiet, "Only failing cases and the last line");
  command->footer(
      "Exit status: 0 when every case passes, 1 when one fails, 2 for bad input.\n\n"
      "Examples:\n"
      "  tensorlane conformance testdata/okk\n"
      "  tensorlane conformance testdata/okk --filter conv2d --reference\n"
      "  tensorlane conformance testdata/okk --quiet --json=result.json\n"
      "  tensorlane conformance testdata/okk --shard 2/8 --results part2.jsonl\n"
      "  tensorlane conformance testdata/okk --merge part*.jsonl\n");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
