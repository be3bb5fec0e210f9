// The texts of the command line in other languages: zh.po, which the build puts into the program.
#ifndef TENSORLANE_TOOLS_CATALOGUE_H_
#define TENSORLANE_TOOLS_CATALOGUE_H_

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane::cli {

enum class Language { kEnglish, kChinese };

// What --lang at the begin of the words says, which are taken off them; without it the environment
// (LC_ALL, LC_MESSAGES, LANG). Throws UserError for a language that there is not.
Language take_language(std::vector<std::string>& words);

// The entries of a catalogue: English, then the other language.
using Catalogue = std::map<std::string, std::string, std::less<>>;
const Catalogue& chinese_catalogue();
// The text in Chinese; as it is where the catalogue lacks it.
std::string in_chinese(std::string_view english);

// The remarks that a footer begins with, before its examples, on one line; empty where it has none.
std::string remarks_of(std::string_view footer);

// The text of zh.po.
std::string_view chinese_po();

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_CATALOGUE_H_
