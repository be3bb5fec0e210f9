// What the editor says the server should know: initializationOptions, later the member "tensorlane"
// of workspace/didChangeConfiguration. docs/editor.md lists them.
#ifndef TENSORLANE_TOOLS_LSP_SETTINGS_H_
#define TENSORLANE_TOOLS_LSP_SETTINGS_H_

#include <optional>
#include <string>
#include <vector>

#include "tensorlane/base/language.h"
#include "tensorlane/json/json.h"

namespace tensorlane::lsp {

struct Reference {
  std::string file, output;  // as --expect and --output have them; the second may be empty
};

struct Settings {
  std::optional<Language> language;
  std::string chip;                         // empty: that of the kernel's interface
  std::vector<std::string> build, program;  // words; one text is a line for the shell
  std::string findings, log;                // files of a run that someone else does
  std::vector<Reference> expect;
  bool run_on_save = false;
  bool svg = false;  // pictures of layouts in hovers; else text
};

// Members that it does not know are nobody's business here; one of the wrong type throws UserError
// that names it.
Settings read_settings(const Json& from, const Settings& before);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_SETTINGS_H_
