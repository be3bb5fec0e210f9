// The language of texts for people.
//
// Messages stand in the code in English, each once. `tr` looks the English text up in the
// catalogue of the language (po/zh.po, which the build puts into the library) and fills in the
// values; what the catalogue lacks stays English. Text for programs (keys and ids of JSON, names
// of files) is never translated.
//
//   throw UserError(tr("'{}' holds {} elements, the shape needs {}", file, n, needed));
//   tr_n("{} error", "{} errors", n)         // "1 error", "2 errors"
//   constexpr std::string_view kTitle = msg("a race");  // now only marked ...
//   translated(kTitle)                                  // ... and translated where it is shown
//
// A translation may take the values in another order: "{1} 的 {0}". Every translated text is an
// argument of one of these functions or of user_error, where xgettext finds it; a test compares
// what it finds with the catalogue.
#ifndef TENSORLANE_BASE_LANGUAGE_H_
#define TENSORLANE_BASE_LANGUAGE_H_

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace tensorlane {

enum class Language : std::uint8_t { kEnglish, kChinese };

// Of the process; English until a program says otherwise. Any thread may set and ask.
Language language() noexcept;
void set_language(Language language) noexcept;
// What TENSORLANE_LANG, LC_ALL, LC_MESSAGES or LANG says, the first of them that is set: Chinese
// where it begins with "zh".
Language language_of_environment();

// The text in the language of the process; as it is where the catalogue lacks it.
std::string_view translated(std::string_view english);
// The same in a language that is named.
std::string_view translated(std::string_view english, Language language);
// The one of two texts that fits a number of things.
std::string_view translated(std::string_view one, std::string_view many, std::uint64_t count);

// Marks a text that is translated later.
constexpr std::string_view msg(std::string_view english) {
  return english;
}

template <class... Args>
std::string tr(fmt::format_string<Args...> english, Args&&... args) {
  const fmt::string_view text = english;
  return fmt::vformat(translated({text.data(), text.size()}), fmt::make_format_args(args...));
}

// `count` is the first of the values.
template <class Count, class... Args>
std::string tr_n(fmt::format_string<const Count&, Args...> one,
                 fmt::format_string<const Count&, Args...> many, const Count& count,
                 Args&&... args) {
  const fmt::string_view singular = one, plural = many;
  return fmt::vformat(translated({singular.data(), singular.size()}, {plural.data(), plural.size()},
                                 static_cast<std::uint64_t>(count)),
                      fmt::make_format_args(count, args...));
}

// "a", "a and b", "a, b and c".
std::string listed(std::span<const std::string> words);

}  // namespace tensorlane

#endif  // TENSORLANE_BASE_LANGUAGE_H_
