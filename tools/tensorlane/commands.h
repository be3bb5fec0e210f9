// The subcommands of the command line. Each adds itself to the program with its options and its
// callback; a callback returns by throwing ExitStatus, or normally for status 0.
#ifndef TENSORLANE_TOOLS_COMMANDS_H_
#define TENSORLANE_TOOLS_COMMANDS_H_

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tensorlane::cli {

// Ends the program with `status` and says nothing more.
struct ExitStatus {
  int status;
};

void add_chips_command(CLI::App& app);
void add_conformance_command(CLI::App& app);
void add_estimate_command(CLI::App& app);
void add_explain_command(CLI::App& app);
void add_layout_command(CLI::App& app);
void add_opencl_command(CLI::App& app);
void add_ops_command(CLI::App& app);
void add_replay_command(CLI::App& app);
// `words` are those of the command line; it takes the program to run and its arguments off them.
void add_run_command(CLI::App& app, std::vector<std::string>& words);
void add_validate_command(CLI::App& app);

// Runs the program. Returns the exit status: 0 for success, 2 for wrong input (one line on standard
// error says what), 3 for a defect of TensorLane, or what a callback threw.
int run_cli(int argc, const char* const* argv);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_COMMANDS_H_
