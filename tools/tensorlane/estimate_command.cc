// tensorlane estimate: the modelled time of recorded call sequences.
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "json_option.h"
#include "progress.h"
#include "run_settings.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/parallel.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/time/timeline.h"
#include "tensorlane/recording/estimate.h"
#include "tensorlane/recording/recording.h"

namespace tensorlane::cli {
namespace {

struct EstimateOptions {
  std::vector<std::string> files;
  std::string chip;  // empty: what each recording says
  std::string calibration = "all";
  std::string launch_mode = "issued";
  JsonOption json;
};

struct Result {
  const Chip* chip = nullptr;
  const TimingParameters* parameters = nullptr;
  Estimate estimate;
  std::string error;
};

Calibration calibration_of(const std::string& name) {
  return name == "even" ? Calibration::kEven : Calibration::kAll;
}

Result estimate(const std::string& file, const Chip* chip, Calibration calibration,
                LaunchMode mode) {
  Result result;
  try {
    result.chip = chip != nullptr ? chip : &RecordingReader(file).chip();
    result.parameters = &timing_parameters(*result.chip, calibration, mode);
    result.estimate = estimate_recording(file, *result.chip, *result.parameters);
  } catch (const UserError& error) {
    result.error = error.what();
  }
  return result;
}

void print_header(const Chip& chip, const TimingParameters& parameters) {
  const std::string note = observe::calibration_note(parameters);
  fmt::print("{}{}{}\n{:>14} {:>14} {:>12} {:>12} {:>8} {:>8}  {}\n",
             tr("modelled microseconds on {}, {}, never measured", chip.name,
                translated(launch_mode_text(parameters.mode))),
             note.empty() ? "" : tr("; "), note, tr("as host sees"), tr("kernel"), tr("GDMA busy"),
             tr("BDC busy"), "GDMA", "BDC", tr("file"));
}

// Where launch or issue are unknown: the same at most.
void print_range(const Estimate& e) {
  if (e.host_high_us > e.host_us)
    fmt::print("{:>14.1f} {:>14.1f} {}\n", e.host_high_us, e.kernel_high_us,
               tr("at most, with what is unknown"));
}

void run(const EstimateOptions& options) {
  const Chip* const chip = options.chip.empty() ? nullptr : &find_chip(options.chip);
  const Calibration calibration = calibration_of(options.calibration);
  const LaunchMode mode = parse_launch_mode(options.launch_mode);
  std::vector<Result> results(options.files.size());
  ProgressBar progress(stderr_terminal(), tr("estimate"), options.files.size());
  parallel_ranges(static_cast<std::int64_t>(options.files.size()), 1,
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t k = begin; k < end; ++k) {
                      const auto at = static_cast<std::size_t>(k);
                      results[at] = estimate(options.files[at], chip, calibration, mode);
                      progress.advance(1);
                    }
                  });
  progress.clear();
  Json list = Json::array();
  bool failed = false;
  const Chip* shown = nullptr;
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Estimate& e = results[k].estimate;
    if (!results[k].error.empty()) {
      fmt::print(stderr, "tensorlane estimate: {}\n", results[k].error);
      failed = true;
    }
    if (options.json.wanted()) {
      Json row = {{"file", options.files[k]}};
      if (!results[k].error.empty()) {
        row["error"] = results[k].error;
      } else {
        row.update({{"chip", results[k].chip->name},
                    {"modelled_us", e.host_us},
                    {"modelled_at_most_us", e.host_high_us},
                    {"calibrated", results[k].parameters->confirmed == Confirmed::kLaunches},
                    {"calibration", calibration_text(*results[k].parameters)},
                    {"launch_mode", launch_mode_name(results[k].parameters->mode)},
                    {"kernel_us", e.kernel_us},
                    {"kernel_at_most_us", e.kernel_high_us},
                    {"gdma_busy_us", e.gdma.busy_us},
                    {"bdc_busy_us", e.bdc.busy_us},
                    {"hau_busy_us", e.hau.busy_us},
                    {"sdma_busy_us", e.sdma.busy_us},
                    {"gdma_commands", e.gdma.commands},
                    {"bdc_commands", e.bdc.commands},
                    {"hau_commands", e.hau.commands},
                    {"sdma_commands", e.sdma.commands}});
      }
      list.push_back(std::move(row));
    }
    if (!options.json.replaces_text() && results[k].error.empty()) {
      if (results[k].chip != shown)
        print_header(*(shown = results[k].chip), *results[k].parameters);
      fmt::print("{:>14.1f} {:>14.1f} {:>12.1f} {:>12.1f} {:>8} {:>8}  {}\n", e.host_us,
                 e.kernel_us, e.gdma.busy_us, e.bdc.busy_us, e.gdma.commands, e.bdc.commands,
                 options.files[k]);
      print_range(e);
      if (e.hau.commands > 0)
        fmt::print("{:>14} {}\n", "",
                   tr("HAU busy {:.1f}, {} commands", e.hau.busy_us, e.hau.commands));
      if (e.sdma.commands > 0)
        fmt::print("{:>14} {}\n", "",
                   tr("SDMA busy {:.1f}, {} commands", e.sdma.busy_us, e.sdma.commands));
    }
  }
  // A list of errors alone is no result to replace a file with.
  if (!failed || std::ranges::any_of(results, &std::string::empty, &Result::error))
    options.json.write(list);
  if (failed) throw ExitStatus{2};
}

}  // namespace

void add_estimate_command(App& app) {
  auto options = std::make_shared<EstimateOptions>();
  App* command =
      app.add_subcommand("estimate", "Time recorded call sequences by the model of the chip");
  command->footer("Example:\n  tensorlane estimate data/board/recordings/*.jsonl.gz");
  command->add_option("FILE", options->files, "recordings, .jsonl or .jsonl.gz")->required();
  command->add_option(
      "--chip", options->chip,
      "chip, instead of the one that a recording names (bm1684 where it names none)");
  command
      ->add_option("--calibration", options->calibration,
                   "parameters fitted on all cases, or on the even ones")
      ->is_member({"all", "even"})
      ->capture_default_str();
  add_run_option(*command, "--launch-mode", options->launch_mode);
  options->json.add_to(*command);
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
