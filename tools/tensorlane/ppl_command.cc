// tensorlane ppl: kernels in the PPL dialect of C++. The Python package compiles; here is what it
// takes, for help, completions and manual.
#include <memory>

#include "commands.h"
#include "python_package.h"

namespace tensorlane::cli {
namespace {

// Parsed so that a wrong word is refused here; what is handed on are the words.
struct Options {
  std::string source, output, chip = "bm1684x";
  std::vector<std::string> defines, flags;
  bool verbose = false;
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
  command.add_flag("--verbose", options.verbose, "Print how the compiler is called");
}

}  // namespace

void add_ppl_command(App& app, std::vector<std::string>& words) {
  auto options = std::make_shared<Options>();
  App* ppl = app.add_subcommand("ppl", "Kernels in PPL, the .pl files");
  ppl->require_subcommand();
  App* build = ppl->add_subcommand("build", "Compile a .pl file to a library of kernels");
  add_words(*build, *options);
  build->add_option("-o,--output", options->output, "The library")
      ->required()
      ->type_name("FILE.so");
  build->footer(
      "Every function marked __KERNEL__ becomes a kernel of its name, whose arguments are a "
      "struct\n"
      "of its parameters. g++ (or $CXX) compiles, with the headers in sdk/ppl.\n\n"
      "Example:\n"
      "  tensorlane ppl build softmax.pl -o softmax.so --verbose\n");
  if (!words.empty() && words.front() == ppl->name())
    options->words.assign(words.begin() + 1, words.end());
  build->callback([options] { run_python_module("tensorlane.ppl_command", options->words); });
}

}  // namespace tensorlane::cli
