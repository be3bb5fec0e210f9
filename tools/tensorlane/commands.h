// The subcommands of the command line. Each adds itself to the program with its options and its
// callback; a callback returns by throwing ExitStatus, or normally for status 0.
#ifndef TENSORLANE_TOOLS_COMMANDS_H_
#define TENSORLANE_TOOLS_COMMANDS_H_

#include <string>
#include <vector>

#include "app.h"

namespace tensorlane::cli {

void add_chips_command(App& app);
void add_conformance_command(App& app);
void add_estimate_command(App& app);
void add_explain_command(App& app);
void add_layout_command(App& app);
void add_opencl_command(App& app);
void add_ops_command(App& app);
void add_replay_command(App& app);
// `words` are those of the command line; it takes the program to run and its arguments off them.
void add_run_command(App& app, std::vector<std::string>& words);
void add_validate_command(App& app);

// Runs the program and returns its exit status: see run_program.
int run_cli(int argc, const char* const* argv);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_COMMANDS_H_
