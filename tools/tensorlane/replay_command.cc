// tensorlane replay: execute recorded call sequences on the emulator.
#include <fmt/format.h>

#include "commands.h"
#include "json_option.h"
#include "shard_options.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/time/clock.h"
#include "tensorlane/recording/recording.h"
#include "tensorlane/recording/replay.h"

namespace tensorlane::cli {
namespace {

struct ReplayOptions {
  std::vector<std::string> files;
  std::string chip;  // empty: what each recording says
  std::uint32_t seed = 1;
  JsonOption json;
  bool reference = false, dry_run = false, time = false;
  ShardOptions shard;
};

// What is said of one recording.
struct Replayed {
  std::string chip;
  std::string time;  // modelled, as text
  Replay replay;
};

Replayed replayed(const ReplayOptions& options, const std::string& file) {
  const ImplementationChoice choice = options.dry_run     ? ImplementationChoice::kNone
                                      : options.reference ? ImplementationChoice::kReference
                                                          : ImplementationChoice::kFastest;
  const Chip& chip = options.chip.empty() ? RecordingReader(file).chip() : find_chip(options.chip);
  Replayed result{.chip = std::string(chip.name), .time = {}, .replay = {}};
  observe::Clock clock(timing_parameters(chip), [&](const observe::Timeline& timeline) {
    result.time += observe::time_text(timeline);
  });
  Observer* const observers[] = {&clock};
  result.replay = replay_recording(
      file, chip, options.seed, choice,
      options.time ? std::span<Observer* const>(observers) : std::span<Observer* const>());
  return result;
}

// What stands for the result of a file: it changes with all that decides it.
std::string key_of(const ReplayOptions& options, std::size_t number) {
  RunDigest digest;
  digest.add(TENSORLANE_VERSION);
  digest.add(fmt::format("{} {} {} {} {} {}", options.chip, options.seed, options.reference,
                         options.dry_run, options.time,
                         options.time && language() == Language::kChinese));
  digest.add_file(options.files[number]);
  return digest.key(number);
}

// What a recording takes on this machine is no result: parts of other machines are put together.
void run(const ReplayOptions& options) {
  const Shard shard = chosen_shard(options.shard);
  const bool text = !options.json.replaces_text();
  Json list = Json::array();
  std::vector<Json> rows;
  for (std::size_t number = 0; number < options.files.size(); ++number) {
    if (!shard.has(number)) continue;
    const std::string& file = options.files[number];
    const Replayed result = replayed(options, file);
    const Replay& replay = result.replay;
    Json row{{"file", file},
             {"chip", result.chip},
             {"calls", replay.calls},
             {"commands", replay.commands}};
    list.push_back(row);
    list[list.size() - 1]["seconds"] = replay.seconds;
    rows.push_back({{"key", key_of(options, number)}, {"time", result.time}});
    rows.back().update(row);
    if (text) {
      fmt::print("{}{}\n", result.time,
                 tr("{}: {} calls, {} commands, {:.3f} s on this machine", file, replay.calls,
                    replay.commands, replay.seconds));
    }
  }
  write_results(options.shard, rows);
  options.json.write(list);
}

void merge(const ReplayOptions& options) {
  std::vector<std::string> keys;
  for (std::size_t number = 0; number < options.files.size(); ++number)
    keys.push_back(key_of(options, number));
  const std::vector<Json> rows = merged_rows(options.shard, keys);
  Json list = Json::array();
  for (Json row : rows) {
    if (!options.json.replaces_text()) {
      fmt::print("{}{}\n", row.at("time").text(),
                 tr("{}: {} calls, {} commands", row.at("file").text(),
                    row.at("calls").get<long long>(), row.at("commands").get<long long>()));
    }
    row.erase("key");
    row.erase("time");
    list.push_back(row);
  }
  write_results(options.shard, rows);
  options.json.write(list);
}

}  // namespace

void add_replay_command(App& app) {
  auto options = std::make_shared<ReplayOptions>();
  App* command = app.add_subcommand(
      "replay", "Execute recorded call sequences on the emulator, with random data");
  command->footer(
      "Examples:\n"
      "  tensorlane replay --time data/board/recordings/softmax_0_E.jsonl.gz\n"
      "  tensorlane replay data/board/recordings/*.gz --shard 1/4 --results part1.jsonl\n"
      "  tensorlane replay data/board/recordings/*.gz --merge part*.jsonl\n");
  command->add_option("FILE", options->files, "recordings, .jsonl or .jsonl.gz")->required();
  command->add_option(
      "--chip", options->chip,
      "chip, instead of the one that a recording names (bm1684 where it names none)");
  command->add_option("--seed", options->seed, "of the random data")->capture_default_str();
  command->add_flag("--reference", options->reference, "run the reference implementations");
  command->add_flag("--dry-run", options->dry_run, "no arithmetic and no data movement");
  command->add_flag("--time", options->time, "print the modelled time");
  options->json.add_to(*command);
  add_shard_options(*command, options->shard);
  command->callback([options] {
    if (options->shard.merge.empty()) {
      run(*options);
    } else {
      merge(*options);
    }
  });
}

}  // namespace tensorlane::cli
