// What is wrong in a document, as an editor shows it: findings of the last run, at the lines where
// their text stands now, and limits that the arguments a call names break.
#ifndef TENSORLANE_TOOLS_LSP_DIAGNOSTICS_H_
#define TENSORLANE_TOOLS_LSP_DIAGNOSTICS_H_

#include <string>
#include <string_view>
#include <vector>

#include "lsp/workspace.h"

namespace tensorlane::lsp {

struct Shown {
  Json diagnostic;  // of the protocol
  std::string id, repair;
  const FoundFault* fault = nullptr;  // of the last run; null for what the text alone says
};

// Of an open document. A finding whose line is gone is left out: a new run will tell.
std::vector<Shown> diagnostics_of(const Workspace& workspace, const std::string& uri,
                                  const Document& document);
// Of a file that is not open, at the lines of the run.
std::vector<Shown> diagnostics_of_file(const Workspace& workspace, const std::string& file);

// What the text alone says.
std::vector<Shown> static_diagnostics(const Document& document, std::string_view chip);

// textDocument/codeAction: repairs of the diagnostics in the range.
Json code_actions(const Workspace& workspace, const Json& params);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_DIAGNOSTICS_H_
