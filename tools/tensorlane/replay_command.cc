// tensorlane replay: execute recorded call sequences on the emulator.
#include <fmt/format.h>

#include "commands.h"
#include "json_option.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/clock.h"
#include "tensorlane/recording/recording.h"
#include "tensorlane/recording/replay.h"

namespace tensorlane::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string chip;  // empty: what each recording says
  std::uint32_t seed = 1;
  JsonOption json;
  bool reference = false, dry_run = false, time = false;
};

void run(const Options& options) {
  const ImplementationChoice choice = options.dry_run     ? ImplementationChoice::kNone
                                      : options.reference ? ImplementationChoice::kReference
                                                          : ImplementationChoice::kFastest;
  Json list = Json::array();
  const bool text = !options.json.replaces_text();
  for (const std::string& file : options.files) {
    const Chip& chip =
        options.chip.empty() ? RecordingReader(file).chip() : find_chip(options.chip);
    observe::Clock clock(timing_parameters(chip), [](const observe::Timeline& timeline) {
      fmt::print("{}", observe::time_text(timeline));
    });
    Observer* const observers[] = {&clock};
    const Replay replay =
        replay_recording(file, chip, options.seed, choice,
                         options.time && text ? std::span<Observer* const>(observers)
                                              : std::span<Observer* const>());
    list.push_back({{"file", file},
                    {"chip", chip.name},
                    {"calls", replay.calls},
                    {"commands", replay.commands},
                    {"seconds", replay.seconds}});
    if (text)
      fmt::print("{}\n", tr("{}: {} calls, {} commands, {:.3f} s on this machine", file,
                            replay.calls, replay.commands, replay.seconds));
  }
  options.json.write(list);
}

}  // namespace

void add_replay_command(App& app) {
  auto options = std::make_shared<Options>();
  App* command = app.add_subcommand(
      "replay", "Execute recorded call sequences on the emulator, with random data");
  command->footer(
      "Example:\n  tensorlane replay --time data/board/recordings/softmax_0_E.jsonl.gz");
  command->add_option("FILE", options->files, "recordings, .jsonl or .jsonl.gz")->required();
  command->add_option(
      "--chip", options->chip,
      "chip, instead of the one that a recording names (bm1684 where it names none)");
  command->add_option("--seed", options->seed, "of the random data")->capture_default_str();
  command->add_flag("--reference", options->reference, "run the reference implementations");
  command->add_flag("--dry-run", options->dry_run, "no arithmetic and no data movement");
  command->add_flag("--time", options->time, "print the modelled time");
  options->json.add_to(*command);
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
