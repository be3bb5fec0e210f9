// tensorlane ppl: kernels in the PPL dialect of C++. The Python package compiles; here is what it
// takes, for help, completions and manual.
#include <memory>

#include "commands.h"
#include "python_package.h"

namespace tensorlane::cli {
namespace {

// Parsed so that a wrong word is refused here; what is handed on are the words.
struct Options {
  std::string source, output, header, chip = "bm1684x";
  std::vector<std::string> defines, flags, tests;
  bool verbose = false;
  std::int64_t cores = 1, seed = 0;
  std::vector<std::string> words;
};

void add_words(App& command, Options& options) {
  command.add_option("SOURCE", options.source, "A .pl file")->required();
  command.add_option("--chip", options.chip, "The chip that the kernel is for")
      ->capture_default_str()
      ->type_name("CHIP");
  command.add_option("--define", options.defines, "A macro, as -D")
      ->type_name("NAME=VALUE")
      ->repeated();
  command.add_option("--flag", options.flags, "For the compiler, as --flag=-O3")
      ->type_name("FLAG")
      ->repeated();
}

void add_build(App& ppl, const std::shared_ptr<Options>& kept) {
  Options& options = *kept;
  App* build = ppl.add_subcommand("build", "Compile a .pl file to a library of kernels");
  add_words(*build, options);
  build->add_flag("--verbose", options.verbose, "Print how the compiler is called");
  build->add_option("-o,--output", options.output, "The library")->required()->type_name("FILE.so");
  build->add_option("--header", options.header, "Write the kernels' arguments for a C++ host")
      ->type_name("FILE.h");
  build->footer(
      "Every function marked __KERNEL__ becomes a kernel of its name, whose arguments are a "
      "struct\n"
      "of its parameters. g++ (or $CXX) compiles, with the headers in sdk/ppl.\n\n"
      "Example:\n"
      "  tensorlane ppl build softmax.pl -o softmax.so --verbose\n");
  build->callback([kept] { run_python_module("tensorlane.ppl_command", kept->words); });
}

void add_test(App& ppl, const std::shared_ptr<Options>& kept) {
  Options& options = *kept;
  App* test = ppl.add_subcommand("test", "Run the functions marked __TEST__ of a .pl file");
  add_words(*test, options);
  test->add_option("TEST", options.tests, "Those with these names; else all");
  test->add_option("--cores", options.cores,
                   "On how many cores kernels run; else as many as they ask for");
  test->add_option("--seed", options.seed, "Decides what chance decides")->capture_default_str();
  test->add_option("-o,--output", options.output, "Write the arrays of all tests")
      ->type_name("FILE.npz");
  test->footer(
      "Each kernel that a test calls is a launch, with all checks; it runs in several orders of\n"
      "copies, with pipelines and without, and the same bits must come out. Exit status: 0 where\n"
      "nothing is found, 1 where something is, 2 for wrong input.\n\n"
      "Example:\n"
      "  tensorlane ppl test softmax.pl -o arrays.npz\n");
  test->callback([kept] { run_python_module("tensorlane.ppl_command", kept->words); });
}

}  // namespace

void add_ppl_command(App& app, std::vector<std::string>& words) {
  auto options = std::make_shared<Options>();
  App* ppl = app.add_subcommand("ppl", "Kernels in PPL, the .pl files");
  ppl->require_subcommand();
  add_build(*ppl, options);
  add_test(*ppl, options);
  if (!words.empty() && words.front() == ppl->name())
    options->words.assign(words.begin() + 1, words.end());
}

}  // namespace tensorlane::cli
