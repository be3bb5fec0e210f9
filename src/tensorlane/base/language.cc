#include "tensorlane/base/language.h"

#include <atomic>
#include <cstdlib>

#include "tensorlane/base/catalogue.h"

namespace tensorlane {
namespace {

std::atomic<Language> current_language{Language::kEnglish};

const Catalogue& catalogue() {
  // Never destroyed: devices end, and report, after main.
  static const auto* const chinese = new Catalogue(read_catalogue(chinese_po()));
  return *chinese;
}

// "zh_CN.UTF-8", "zh_CN", "zh"; our texts are UTF-8 and nothing for a terminal in another code.
bool is_chinese(std::string_view locale) {
  if (!locale.starts_with("zh")) return false;
  const std::size_t dot = locale.find('.');
  if (dot == std::string_view::npos) return true;
  const std::string_view code = locale.substr(dot + 1);
  return code.starts_with("UTF-8") || code.starts_with("utf8") || code.starts_with("utf-8") ||
         code.starts_with("UTF8");
}

std::string_view look_up(std::string_view english, std::string_view otherwise, Language language) {
  if (language == Language::kEnglish) return otherwise;
  const auto found = catalogue().find(english);
  return found == catalogue().end() ? otherwise : std::string_view(found->second.text);
}

}  // namespace

Language language() noexcept {
  return current_language.load(std::memory_order_relaxed);
}

void set_language(Language language) noexcept {
  current_language.store(language, std::memory_order_relaxed);
}

Language language_of_environment() {
  for (const char* const name : {"TENSORLANE_LANG", "LC_ALL", "LC_MESSAGES", "LANG"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0')
      return is_chinese(value) ? Language::kChinese : Language::kEnglish;
  }
  return Language::kEnglish;
}

std::string_view translated(std::string_view english) {
  return translated(english, language());
}

std::string_view translated(std::string_view english, Language language) {
  return look_up(english, english, language);
}

std::string_view translated(std::string_view one, std::string_view many, std::uint64_t count) {
  return look_up(one, count == 1 ? one : many, language());
}

std::string listed(std::span<const std::string> words) {
  std::string text;
  for (std::size_t k = 0; k < words.size(); ++k) {
    if (k > 0) text += k + 1 == words.size() ? tr(" and ") : tr(", ");
    text += words[k];
  }
  return text;
}

}  // namespace tensorlane
