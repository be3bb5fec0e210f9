// What the parser of the command line, CLI11, says of wrong words, in the language of the process.
#ifndef TENSORLANE_TOOLS_PARSER_ERRORS_H_
#define TENSORLANE_TOOLS_PARSER_ERRORS_H_

#include <string>

namespace tensorlane::cli {

// `english` is what() of its exception; returned as it is where its form is not known.
std::string parser_error_text(const std::string& english);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_PARSER_ERRORS_H_
