// The subcommands of the command line. Each adds itself to the program with its options and its
// callback; a callback returns by throwing ExitStatus, or normally for status 0.
#ifndef TENSORLANE_TOOLS_COMMANDS_H_
#define TENSORLANE_TOOLS_COMMANDS_H_

#include <CLI/CLI.hpp>

namespace tensorlane::cli {

// Ends the program with `status` and says nothing more.
struct ExitStatus {
  int status;
};

void add_conformance_command(CLI::App& app);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_COMMANDS_H_
