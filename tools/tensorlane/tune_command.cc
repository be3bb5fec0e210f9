// tensorlane tune: the fastest parameters of a kernel. The Python package searches; here is what it
// takes, for help, completions and manual.
#include <memory>

#include "commands.h"
#include "python_package.h"

namespace tensorlane::cli {
namespace {

// Parsed so that a wrong word is refused here; what is handed on are the words.
struct TuneOptions {
  std::vector<std::string> sources, macros, fields, where, start, args, inputs, outputs, expect,
      defines, flags, merge;
  std::string chip, kernel, gate, tolerance, sampler, store, shard, results, dask, svg;
  std::int64_t trials = 200, seed = 0, check = 1, most = 20;
  double timeout = 0;
  std::vector<std::string> words;
};

void add_parameters(App& command, TuneOptions& options) {
  struct Repeated {
    const char* name;
    std::vector<std::string>& value;
    const char* metavar;
    const char* text;
  };
  const Repeated repeated[] = {
      {"--macro", options.macros, "NAME=VALUES", "A parameter: a macro, as -D"},
      {"--field", options.fields, "NAME=VALUES", "A parameter: a field of the arguments"},
      {"--where", options.where, "EXPRESSION",
       "What must hold: an expression of Python over parameters"},
      {"--start", options.start, "NAME=VALUE,...",
       "A known choice, tried first: nothing slower is found"},
      {"--arg", options.args, "NAME=NUMBER", "A field of the arguments"},
      {"--input", options.inputs, "NAME=DTYPE:SHAPE",
       "A tensor of chance numbers; or NAME=FILE.npy"},
      {"--output", options.outputs, "NAME=DTYPE:SHAPE", "A tensor that the kernel writes"},
      {"--expect", options.expect, "NAME=FILE.npy",
       "What must be in an output of the fastest choices"},
      {"--define", options.defines, "NAME=VALUE", "A macro that is no parameter"},
      {"--flag", options.flags, "FLAG", "For the compiler, as --flag=-O3"}};
  for (const Repeated& each : repeated)
    command.add_option(each.name, each.value, each.text)->type_name(each.metavar)->repeated();
}

void add_search(App& command, TuneOptions& options) {
  command
      .add_option(
          "--gate", options.gate,
          "Those of verify for the same kernel: the choice must be right at all these sizes")
      ->type_name("WORDS");
  command.add_option("--tolerance", options.tolerance,
                     "For --expect: 1e-3, or abs=X, rel=X, ulp=N");
  command
      .add_option("--sampler", options.sampler, "All points, some by chance, or Optuna's choice")
      ->is_member({"grid", "random", "tpe"});
  command.add_option("--trials", options.trials, "How many points of a large space")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Decides what chance decides")->capture_default_str();
  command.add_option("--check", options.check, "Run so many of the fastest exactly")
      ->capture_default_str();
  command
      .add_option("--store", options.store, "Keeps trials (SQLite): an interrupted search goes on")
      ->type_name("FILE");
  command.add_option("--shard", options.shard, "Only this part, for --results")->type_name("I/N");
  command.add_option("--results", options.results, "Write the trials as JSONL")->type_name("FILE");
  command.add_option("--merge", options.merge, "Put the results of all shards together")
      ->type_name("FILE");
  command.add_option("--dask", options.dask, "Spread trials over the workers of a dask scheduler")
      ->type_name("ADDRESS");
  command.add_option("--timeout", options.timeout, "How long a launch may take")
      ->type_name("SECONDS");
  command.add_option("--svg", options.svg, "Write the picture of time and local memory")
      ->type_name("FILE");
  command.add_option("--most", options.most, "Lines of the table")->capture_default_str();
}

}  // namespace

void add_tune_command(App& app, std::vector<std::string>& words) {
  auto options = std::make_shared<TuneOptions>();
  App* command = app.add_subcommand(
      "tune",
      "Find the macros and argument fields with which a kernel is fastest by the timing model");
  command->add_option("SOURCE", options->sources, "The kernel's files")->required();
  command->add_option("--chip", options->chip, "A chip of 'tensorlane chips'")
      ->required()
      ->type_name("CHIP");
  command->add_option("--kernel", options->kernel, "The name under which it is registered")
      ->required();
  add_parameters(*command, *options);
  add_search(*command, *options);
  command->footer(
      "Trials are dry runs; the fastest choices then run exactly, with all checks. The Python\n"
      "package of TensorLane does it, with numpy; python3-optuna and python3-distributed are used\n"
      "where they are. VALUES are a list (8,16,32) or a range with both ends (8:64:8, or 1:8).\n"
      "Exit status: 0 where a choice was found that works, 1 where none was, 2 for wrong input.\n\n"
      "Example:\n"
      "  tensorlane tune matmul.c --chip bm1684x --kernel matmul --macro TILE_ROWS=64:256:64 "
      "\\\n"
      "    --macro TILE_COLS=64,128,256 --arg rows=256 --arg inner=512 --arg cols=256 \\\n"
      "    --input left=fp16:256x512 --input right=fp16:512x256 --output output=fp16:256x256\n");
  if (!words.empty() && words.front() == command->name())
    options->words.assign(words.begin() + 1, words.end());
  command->callback([options] { run_python_module("tensorlane.tune", options->words); });
}

}  // namespace tensorlane::cli
