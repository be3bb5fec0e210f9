// What the server knows between two messages.
#ifndef TENSORLANE_TOOLS_LSP_WORKSPACE_H_
#define TENSORLANE_TOOLS_LSP_WORKSPACE_H_

#include <map>
#include <optional>
#include <string>

#include "lsp/document.h"
#include "lsp/kernel_text.h"
#include "lsp/last_run.h"
#include "lsp/settings.h"

namespace tensorlane::lsp {

struct Workspace {
  std::string root;  // the folder; that of the process where the client names none
  Settings settings;
  std::map<std::string, Document> documents;  // by uri
  LastRun run;
  // What the client can show.
  bool snippets = false, markdown = true, related = true;

  // Absolute, without links and "..", as far as it is there.
  std::string file_of(const std::string& path) const;
  const Document* document(const std::string& uri) const;
  // That of an open document; else the one that names the file.
  std::string uri_of_file(const std::string& file) const;
};

// ---- Values of the protocol ---------------------------------------------------------------------

// Throw UserError for what is none.
Position position_in(const Json& params);         // its member "position"
std::string uri_in(const Json& params);           // of its "textDocument"
std::optional<Range> range_in(const Json& from);  // its member "range"; nothing where there is none
Json json(const Range& range);

// The line, from 0, where the text of a finding or a call of line `line`, from 1, stands now: that
// line, or the nearest with the same text. Nothing where no line has it.
std::optional<std::int64_t> line_now(const Document& document, std::int64_t line,
                                     const std::string& source);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_WORKSPACE_H_
