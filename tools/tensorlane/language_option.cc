#include "language_option.h"

#include <algorithm>

#include "tensorlane/base/error.h"

namespace tensorlane::cli {
namespace {

constexpr std::string_view kLanguageOption = "--lang";

Language language_called(std::string_view name) {
  if (name == "en") return Language::kEnglish;
  if (name == "zh") return Language::kChinese;
  user_error("{} '{}': there are en and zh", kLanguageOption, name);
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

std::string remarks_of(std::string_view footer) {
  std::string text(footer.substr(0, std::min(footer.find("Example"), footer.size())));
  while (text.ends_with('\n')) text.pop_back();
  for (char& c : text) c = c == '\n' ? ' ' : c;
  return text;
}

}  // namespace tensorlane::cli
