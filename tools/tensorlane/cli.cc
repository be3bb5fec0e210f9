#include <string>
#include <vector>

#include "commands.h"
#include "kernel_launch.h"

namespace tensorlane::cli {
namespace {

void add_commands(App& app, std::vector<std::string>& words) {
  add_run_command(app, words);
  add_diff_command(app, words);
  add_why_command(app, words);
  add_verify_command(app, words);
  add_tune_command(app, words);
  add_spread_command(app, words);
  add_ppl_command(app, words);
#define TENSORLANE_COMMAND(verb) add_##verb##_command(app);
  TENSORLANE_COMMANDS(TENSORLANE_COMMAND)
#undef TENSORLANE_COMMAND
}

const Program& program() {
  static const Program program = {
      .name = "tensorlane",
      .description = "TensorLane: a workbench for Sophon TPU kernels and tensor layouts",
      .version = "tensorlane " TENSORLANE_VERSION,
      .footer =
          "Examples:\n"
          "  tensorlane run -- ./plus_one\n"
          "  tensorlane layout describe --chip bm1684 --layout aligned --dtype fp32 --shape "
          "1,3,32,32\n"
          "  tensorlane ops okk_bdc_conv2d\n"
          "  tensorlane SUBCOMMAND --help\n"};
  return program;
}

}  // namespace

CommandTree command_tree() {
  return describe_program(program(), add_commands);
}

int run_cli(int argc, const char* const* argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (is_launch(words)) return run_launch(words);
  return run_program(program(), words, add_commands);
}

}  // namespace tensorlane::cli
