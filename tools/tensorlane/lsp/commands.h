// workspace/executeCommand: what each command runs, and what its result is. docs/editor.md lists
// them.
#ifndef TENSORLANE_TOOLS_LSP_COMMANDS_H_
#define TENSORLANE_TOOLS_LSP_COMMANDS_H_

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/jobs.h"
#include "lsp/workspace.h"

namespace tensorlane::lsp {

// A command that cannot be carried out, though nothing is wrong with the request.
class CommandFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Programs to run, and what to make of their outcomes: the result of the command and a line for the
// user. `finish` may change the workspace's last run.
struct Plan {
  std::vector<Jobs::Step> steps;
  struct Finished {
    Json result;
    std::string said;
  };
  std::function<Finished(Workspace&, const std::vector<Outcome>&)> finish;
};

// The commands that run the program of the settings. Throw CommandFailed where there is none,
// UserError for arguments that are none.
Plan plan_run(const Workspace& workspace);
Plan plan_verify(const Workspace& workspace);
Plan plan_why(const Workspace& workspace, const Json& arguments);

// Those that are answered at once.
Json explain(const Json& arguments);
Json layout(const Workspace& workspace, const Json& arguments);

std::span<const std::string_view> command_names();

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_COMMANDS_H_
