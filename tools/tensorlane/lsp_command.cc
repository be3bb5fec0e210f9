// tensorlane lsp: the language server, which editors start.
#include <csignal>
#include <cstdio>

#include "commands.h"
#include "lsp/server.h"

namespace tensorlane::cli {

void add_lsp_command(App& app) {
  App* command = app.add_subcommand(
      "lsp", "A language server for editors: findings, repairs, device functions, layouts");
  command->footer(
      "Speaks the language server protocol on standard input and output; an editor starts it.\n"
      "docs/editor.md says how, for VS Code, vim, neovim and emacs.\n"
      "\n"
      "Example:\n"
      "  tensorlane lsp\n");
  command->callback([] {
    std::signal(SIGPIPE, SIG_IGN);  // an editor that is gone is the end of its messages
    if (const int status = lsp::serve(stdin, stdout); status != 0) throw ExitStatus{status};
  });
}

}  // namespace tensorlane::cli
