// --lang, and the parts of the help that the catalogue translates.
#ifndef TENSORLANE_TOOLS_LANGUAGE_OPTION_H_
#define TENSORLANE_TOOLS_LANGUAGE_OPTION_H_

#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/base/language.h"

namespace tensorlane::cli {

// What --lang at the begin of the words says, which are taken off them; without it the environment
// (language_of_environment). Throws UserError for a language that there is not.
Language take_language(std::vector<std::string>& words);

// The remarks that a footer begins with, before its examples, on one line; empty where it has none.
std::string remarks_of(std::string_view footer);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_LANGUAGE_OPTION_H_
