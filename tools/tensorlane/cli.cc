#include <string>
#include <vector>

#include "commands.h"

namespace tensorlane::cli {

int run_cli(int argc, const char* const* argv) {
  const Program program = {
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
  return run_program(program, {argv + 1, argv + argc},
                     [](App& app, std::vector<std::string>& words) {
                       add_run_command(app, words);
                       add_layout_command(app);
                       add_opencl_command(app);
                       add_ops_command(app);
                       add_chips_command(app);
                       add_conformance_command(app);
                       add_estimate_command(app);
                       add_explain_command(app);
                       add_replay_command(app);
                       add_validate_command(app);
                     });
}

}  // namespace tensorlane::cli
