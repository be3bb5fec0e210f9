// --json: what a command says, as JSON; one form in every verb that has it.
//
//   --json         on standard output, in the place of the text
//   --json=FILE    into a file, beside the text; - is standard output
//
// The file belongs to the option: --json takes no word of its own, so that arguments may follow it.
#ifndef TENSORLANE_TOOLS_JSON_OPTION_H_
#define TENSORLANE_TOOLS_JSON_OPTION_H_

#include <string>
#include <vector>

#include "app.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {

inline constexpr const char* kJsonOption = "--json";

class JsonOption {
 public:
  static constexpr const char* kDescription =
      "JSON on standard output instead of the text; --json=FILE: into a file, beside the text";

  Option* add_to(App& command, const std::string& description = kDescription);

  bool wanted() const { return !file_.empty(); }
  bool replaces_text() const;
  // Says before a long run that the file would have no place to go. Throws UserError.
  void check() const;
  // Nothing where it is not wanted. Throws UserError when it cannot be written.
  void write(const Json& document) const;
  void write_text(const std::string& json) const;

 private:
  std::string file_;
};

// Gives every --json without a file that of standard output.
void complete_json_options(std::vector<std::string>& words);

// Throws UserError, which says how it is written, for a word behind --json that was meant to be its
// file: by its ending, or `surely`.
void refuse_json_apart(const std::string& word, bool surely = false);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_JSON_OPTION_H_
