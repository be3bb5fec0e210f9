// tensorlane verify: whether a kernel is right at all of its sizes. The Python package tries; here
// is what it takes, for help, completions and manual.
#include <memory>

#include "commands.h"
#include "json_option.h"
#include "python_package.h"

namespace tensorlane::cli {
namespace {

// Parsed so that a wrong word is refused here; what is handed on are the words.
struct VerifyOptions {
  std::vector<std::string> sources, sizes, where, inputs, values, updates, outputs, scratch, args,
      expect, defines, flags, allow;
  std::string chip, kernel, reference, tolerance, cores = "1", page;
  std::int64_t tries = 300, dry = 20000, most_elements = 1 << 21, seed = 0;
  double seconds = 0, timeout = 10;
  JsonOption json;
  std::vector<std::string> words;
};

void add_arguments(App& command, VerifyOptions& options) {
  struct Repeated {
    const char* name;
    std::vector<std::string>& value;
    const char* metavar;
    const char* text;
  };
  const Repeated repeated[] = {
      {"--size", options.sizes, "NAME=VALUES", "A size: the kernel is tried over its values"},
      {"--where", options.where, "EXPRESSION", "What must hold between sizes"},
      {"--input", options.inputs, "NAME=DTYPE:SHAPE", "A tensor that the kernel reads"},
      {"--values", options.values, "NAME=VALUES",
       "What an input holds: normal, small, LOW:HIGH, FILE.npy"},
      {"--update", options.updates, "NAME=DTYPE:SHAPE",
       "A tensor that the kernel reads and writes"},
      {"--output", options.outputs, "NAME=DTYPE:SHAPE", "A tensor that the kernel writes"},
      {"--scratch", options.scratch, "NAME=DTYPE:SHAPE", "Memory that nobody looks at"},
      {"--arg", options.args, "NAME=EXPRESSION", "A field of the arguments, a number or of sizes"},
      {"--expect", options.expect, "NAME=FILE.npy",
       "A right result; sizes stand in its name in braces"},
      {"--define", options.defines, "NAME=VALUE", "A macro that is no parameter"},
      {"--flag", options.flags, "FLAG", "For the compiler, as --flag=-O3"},
      {"--allow", options.allow, "ID", "A finding that does not fail it, with wildcards"}};
  for (const Repeated& each : repeated)
    command.add_option(each.name, each.value, each.text)->type_name(each.metavar)->repeated();
}

void add_limits(App& command, VerifyOptions& options) {
  command
      .add_option("--reference", options.reference,
                  "A function of all arguments that gives the right results")
      ->type_name("FILE.py:FUNCTION");
  command.add_option("--tolerance", options.tolerance, "Of results: 1e-3, or abs=X, rel=X, ulp=N");
  command.add_option("--tries", options.tries, "How many sizes run exactly")->capture_default_str();
  command.add_option("--dry", options.dry, "How many sizes run dry")->capture_default_str();
  command
      .add_option("--most-elements", options.most_elements,
                  "Of all tensors of a size that runs exactly")
      ->capture_default_str();
  command.add_option("--seed", options.seed, "Decides what chance decides")->capture_default_str();
  command.add_option("--seconds", options.seconds, "When to stop; what was not tried is unknown")
      ->type_name("SECONDS");
  command.add_option("--timeout", options.timeout, "How long a launch may take")
      ->capture_default_str()
      ->type_name("SECONDS");
  command
      .add_option("--cores", options.cores,
                  "How many cores of the chip a launch takes, a number or of sizes")
      ->capture_default_str()
      ->type_name("EXPRESSION");
  command.add_option("--page", options.page, "The verdict as a page of HTML")->type_name("FILE");
  options.json.add_to(command);
}

}  // namespace

void add_verify_command(App& app, std::vector<std::string>& words) {
  auto options = std::make_shared<VerifyOptions>();
  App* command = app.add_subcommand(
      "verify", "Say whether a kernel is right at all of its sizes, and where not, the smallest");
  command->add_option("SOURCE", options->sources, "The kernel's files")->required();
  command->add_option("--chip", options->chip, "A chip of 'tensorlane chips'")
      ->required()
      ->type_name("CHIP");
  command->add_option("--kernel", options->kernel, "The name under which it is registered")
      ->required();
  add_arguments(*command, *options);
  add_limits(*command, *options);
  command->footer(
      "The kernel runs dry at every size, where that is affordable, and exactly at corners of the\n"
      "chip, of memory and of its own constants, with all checks, in the orders of copies that "
      "are\n"
      "legal. The Python package of TensorLane does it, with numpy; python3-hypothesis is used\n"
      "where it is. VALUES are a range with both ends (1:512, or 8:64:8) or a list (16,32).\n"
      "Exit status: 0 where the kernel is right, 1 where it is wrong, 2 for wrong input, 3 where\n"
      "time ended first.\n\n"
      "Example:\n"
      "  tensorlane verify rmsnorm.c --chip bm1684x --kernel rmsnorm --size rows=1:300 \\\n"
      "    --size cols=1:512 --input input=fp32:rows,cols --output output=fp32:rows,cols \\\n"
      "    --arg epsilon=1e-5 --reference reference.py:rmsnorm\n");
  if (!words.empty() && words.front() == command->name())
    options->words.assign(words.begin() + 1, words.end());
  command->callback([options] { run_python_module("tensorlane.verify", options->words); });
}

}  // namespace tensorlane::cli
