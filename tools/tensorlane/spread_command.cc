// tensorlane spread: a command in shards on many machines. The Python package does it.
#include <memory>

#include "commands.h"
#include "emulated_program.h"
#include "python_package.h"

namespace tensorlane::cli {
namespace {

struct SpreadOptions {
  std::string dask, listen, prefix, results;
  std::int64_t shards = 0;
  std::vector<std::string> words, program;
};

}  // namespace

void add_spread_command(App& app, std::vector<std::string>& words) {
  auto options = std::make_shared<SpreadOptions>();
  App* command = app.add_subcommand(
      "spread", "Run a command in shards on the workers of dask and put their results together");
  command
      ->add_option("--dask", options->dask,
                   "The scheduler; without it workers are started on this machine")
      ->type_name("ADDRESS");
  command
      ->add_option("--listen", options->listen,
                   "Where workers of this machine and their pages can be reached [127.0.0.1]")
      ->type_name("ADDRESS");
  command->add_option("--shards", options->shards, "How many; without it four for each worker");
  command
      ->add_option("--prefix", options->prefix,
                   "What the command's own options begin with: --tensorlane- for pytest")
      ->type_name("TEXT");
  command
      ->add_option("--results", options->results,
                   "Write what the command writes with --results on one machine")
      ->type_name("FILE");
  command->usage("Usage: tensorlane spread [OPTIONS] -- COMMAND ARGS...\n");
  command->footer(
      "COMMAND is run with --shard I/N --results FILE for each shard, and at the end with --merge\n"
      "FILES, which says what one run of all would: 'conformance', 'replay' and 'tune' of this\n"
      "program take these options, and so may scripts. Workers see the same files under the same\n"
      "paths. What a lost worker had is run again, a lost result is an error.\n\n"
      "Examples:\n"
      "  tensorlane spread -- tensorlane conformance testdata/okk\n"
      "  tensorlane spread --dask tcp://head:8786 --shards 64 -- tensorlane replay *.jsonl.gz\n"
      "  tensorlane spread --prefix --tensorlane- -- python3 -m pytest tests\n");
  if (!words.empty() && words.front() == command->name())
    options->words.assign(words.begin() + 1, words.end());
  options->program = cut_program(*command, words);
  command->callback([options] {
    require_program("spread", options->program);
    run_python_module("tensorlane.spread", options->words);
  });
}

}  // namespace tensorlane::cli
