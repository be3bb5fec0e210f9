// textDocument/hover, completion, completionItem/resolve and signatureHelp.
#ifndef TENSORLANE_TOOLS_LSP_HOVER_H_
#define TENSORLANE_TOOLS_LSP_HOVER_H_

#include "lsp/workspace.h"

namespace tensorlane::lsp {

// Each takes the parameters of the request and returns its result. null where there is nothing to
// say. Throw UserError for parameters that are none.
Json hover(const Workspace& workspace, const Json& params);
Json completion(const Workspace& workspace, const Json& params);
Json resolve_completion(const Workspace& workspace, const Json& item);
Json signature_help(const Workspace& workspace, const Json& params);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_HOVER_H_
