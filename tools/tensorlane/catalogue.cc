#include "catalogue.h"

#include <algorithm>
#include <cstdlib>

#include "tensorlane/base/error.h"

namespace tensorlane::cli {
namespace {

constexpr std::string_view kLanguageOption = "--lang";

Language language_called(std::string_view name) {
  if (name == "en") return Language::kEnglish;
  if (name == "zh") return Language::kChinese;
  user_error("{} '{}': there are en and zh", kLanguageOption, name);
}

Language language_of_environment() {
  for (const char* const name : {"LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0')
      return std::string_view(value).starts_with("zh") ? Language::kChinese : Language::kEnglish;
  }
  return Language::kEnglish;
}

// The text between the quotes of a line of a catalogue.
std::string unquoted(std::string_view line) {
  const std::size_t begin = line.find('"') + 1, end = line.rfind('"');
  std::string text;
  for (std::size_t at = begin; at < end; ++at) {
    if (line[at] == '\\') ++at;
    text += line[at];
  }
  return text;
}

}  // namespace

Language take_language(std::vector<std::string>& words) {
  const bool apart = words.size() > 1 && words[0] == kLanguageOption;
  const std::string joined = std::string(kLanguageOption) + "=";
  if (apart || (!words.empty() && words[0].starts_with(joined))) {
    const Language language = language_called(apart ? words[1] : words[0].substr(joined.size()));
    words.erase(words.begin(), words.begin() + (apart ? 2 : 1));
    return language;
  }
  return language_of_environment();
}

const Catalogue& chinese_catalogue() {
  static const Catalogue catalogue = [] {
    Catalogue entries;
    std::string_view text = chinese_po();
    std::string english;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      if (line.starts_with("msgid ")) english = unquoted(line);
      if (line.starts_with("msgstr ")) entries[english] = unquoted(line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    return entries;
  }();
  return catalogue;
}

std::string remarks_of(std::string_view footer) {
  std::string text(footer.substr(0, std::min(footer.find("Example"), footer.size())));
  while (text.ends_with('\n')) text.pop_back();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

std::string in_chinese(std::string_view english) {
  const auto found = chinese_catalogue().find(english);
  return found == chinese_catalogue().end() ? std::string(english) : found->second;
}

}  // namespace tensorlane::cli
