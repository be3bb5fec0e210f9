// The verbs of the command line. A verb is a file, <verb>_command.cc, and its row here: the file
// defines add_<verb>_command, which declares the verb with its options and its callback. A callback
// returns by throwing ExitStatus, or normally for status 0.
#ifndef TENSORLANE_TOOLS_COMMANDS_H_
#define TENSORLANE_TOOLS_COMMANDS_H_

#include <string>
#include <vector>

#include "app.h"

namespace tensorlane::cli {

// In the order of the help, behind `run`, `diff`, `why`, `verify`, `tune`, `spread` and `ppl`.
// clang-format off
#define TENSORLANE_COMMANDS(ROW) \
  ROW(layout) \
  ROW(opencl) \
  ROW(ops) \
  ROW(chips) \
  ROW(conformance) \
  ROW(estimate) \
  ROW(explain) \
  ROW(replay) \
  ROW(report) \
  ROW(validate) \
  ROW(fit) \
  ROW(new) \
  ROW(build) \
  ROW(lsp) \
  ROW(help) \
  ROW(completion) \
  ROW(manual)
// clang-format on

#define TENSORLANE_COMMAND(verb) void add_##verb##_command(App& app);
TENSORLANE_COMMANDS(TENSORLANE_COMMAND)
#undef TENSORLANE_COMMAND

// `words` are those of the command line, from which these take programs to run and what they hand
// on.
void add_diff_command(App& app, std::vector<std::string>& words);
void add_ppl_command(App& app, std::vector<std::string>& words);
void add_run_command(App& app, std::vector<std::string>& words);
void add_spread_command(App& app, std::vector<std::string>& words);
void add_tune_command(App& app, std::vector<std::string>& words);
void add_verify_command(App& app, std::vector<std::string>& words);
void add_why_command(App& app, std::vector<std::string>& words);

// All verbs with their options, in English.
CommandTree command_tree();

// Runs the program and returns its exit status: see run_program.
int run_cli(int argc, const char* const* argv);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_COMMANDS_H_
