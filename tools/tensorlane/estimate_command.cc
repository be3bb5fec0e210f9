// tensorlane estimate: the modelled time of recorded call sequences.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "commands.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/parallel.h"
#include "tensorlane/base/progress.h"
#include "tensorlane/observe/timeline.h"
#include "tensorlane/recording/estimate.h"

namespace tensorlane::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string chip = "bm1684";
  std::string calibration = "all";
  bool json = false;
};

struct Result {
  Estimate estimate;
  std::string error;
};

Calibration calibration_of(const std::string& name) {
  return name == "even" ? Calibration::kEven : Calibration::kAll;
}

void run(const Options& options) {
  const Chip& chip = find_chip(options.chip);
  const TimingParameters& parameters = timing_parameters(chip, calibration_of(options.calibration));
  std::vector<Result> results(options.files.size());
  ProgressBar progress(stderr_terminal(), "estimate", options.files.size());
  parallel_ranges(static_cast<std::int64_t>(options.files.size()), 1,
                  [&](std::int64_t begin, std::int64_t end) {
                    for (std::int64_t k = begin; k < end; ++k) {
                      Result& result = results[static_cast<std::size_t>(k)];
                      try {
                        result.estimate = estimate_recording(
                            options.files[static_cast<std::size_t>(k)], chip, parameters);
                      } catch (const UserError& error) {
                        result.error = error.what();
                      }
                      progress.advance(1);
                    }
                  });
  progress.clear();
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  bool failed = false;
  if (!options.json) {
    fmt::print(
        "modelled microseconds on {}, never measured{}{}\n{:>14} {:>14} {:>12} {:>12} {:>8} {:>8}  "
        "file\n",
        chip.name, parameters.calibrated ? "" : "; ", observe::calibration_note(parameters),
        "as host sees", "kernel", "GDMA busy", "BDC busy", "GDMA", "BDC");
  }
  for (std::size_t k = 0; k < results.size(); ++k) {
    const Estimate& e = results[k].estimate;
    if (!results[k].error.empty()) {
      fmt::print(stderr, "tensorlane: {}\n", results[k].error);
      failed = true;
    }
    if (options.json) {
      nlohmann::ordered_json row = {{"file", options.files[k]}};
      if (!results[k].error.empty()) {
        row["error"] = results[k].error;
      } else {
        row.update({{"modelled_us", e.host_us},
                    {"calibrated", parameters.calibrated},
                    {"kernel_us", e.kernel_us},
                    {"gdma_busy_us", e.gdma_busy_us},
                    {"bdc_busy_us", e.bdc_busy_us},
                    {"gdma_commands", e.gdma_commands},
                    {"bdc_commands", e.bdc_commands}});
      }
      list.push_back(std::move(row));
    } else if (results[k].error.empty()) {
      fmt::print("{:>14.1f} {:>14.1f} {:>12.1f} {:>12.1f} {:>8} {:>8}  {}\n", e.host_us,
                 e.kernel_us, e.gdma_busy_us, e.bdc_busy_us, e.gdma_commands, e.bdc_commands,
                 options.files[k]);
    }
  }
  if (options.json) fmt::print("{}\n", list.dump(1));
  if (failed) throw ExitStatus{2};
}

}  // namespace

void add_estimate_command(CLI::App& app) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      app.add_subcommand("estimate", "Time recorded call sequences by the model of the chip");
  command->footer("Example:\n  tensorlane estimate data/board/recordings/*.jsonl.gz");
  command->add_option("FILE", options->files, "recordings, .jsonl or .jsonl.gz")->required();
  command->add_option("--chip", options->chip, "chip")->capture_default_str();
  command
      ->add_option("--calibration", options->calibration,
                   "parameters fitted on all cases, or on the even ones")
      ->check(CLI::IsMember({"all", "even"}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "print JSON");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
