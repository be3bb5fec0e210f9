#include "lsp/settings.h"

#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"

namespace tensorlane::lsp {
namespace {

// "make plus_one" or ["make", "plus_one"].
std::vector<std::string> words_of(std::string_view name, const Json& from) {
  if (from.is_null()) return {};
  if (from.is_string())
    return from.text().empty() ? std::vector<std::string>()
                               : std::vector<std::string>{"/bin/sh", "-c", from.text()};
  if (!from.is_array()) user_error("the setting '{}' is a list of words, or one line", name);
  std::vector<std::string> words;
  for (const Json& word : from) {
    if (!word.is_string()) user_error("the setting '{}' is a list of words, or one line", name);
    words.push_back(word.text());
  }
  return words;
}

std::string text_of(std::string_view name, const Json& from) {
  if (from.is_null()) return {};
  if (!from.is_string()) user_error("the setting '{}' is a text", name);
  return from.text();
}

bool flag_of(std::string_view name, const Json& from) {
  if (!from.is_boolean()) user_error("the setting '{}' is true or false", name);
  return from.get<bool>();
}

std::optional<Language> language_of(const std::string& name) {
  if (name.empty() || name == "auto") return std::nullopt;
  if (name.starts_with("zh")) return Language::kChinese;
  if (name.starts_with("en")) return Language::kEnglish;
  user_error("the setting '{}' is '{}': there are {}", "language", name, "auto, en, zh");
}

std::vector<Reference> references_of(const Json& from) {
  std::vector<Reference> all;
  if (from.is_null()) return all;
  if (!from.is_array())
    user_error("the setting '{}' is a list of objects with file and output", "expect");
  for (const Json& each : from) {
    const Json* const file = each.is_object() ? each.find("file") : nullptr;
    if (file == nullptr || !file->is_string())
      user_error("the setting '{}' is a list of objects with file and output", "expect");
    const Json* const output = each.find("output");
    all.push_back({file->text(), output == nullptr ? "" : text_of("output", *output)});
  }
  return all;
}

}  // namespace

Settings read_settings(const Json& from, const Settings& before) {
  Settings settings = before;
  if (!from.is_object()) return settings;
  for (const auto& [name, value] : from.items()) {
    if (name == "language") {
      settings.language = language_of(text_of(name, value));
    } else if (name == "chip") {
      settings.chip = text_of(name, value);
      if (!settings.chip.empty()) settings.chip = find_chip(settings.chip).name;
    } else if (name == "build") {
      settings.build = words_of(name, value);
    } else if (name == "program") {
      settings.program = words_of(name, value);
    } else if (name == "findings") {
      settings.findings = text_of(name, value);
    } else if (name == "log") {
      settings.log = text_of(name, value);
    } else if (name == "expect") {
      settings.expect = references_of(value);
    } else if (name == "runOnSave") {
      settings.run_on_save = flag_of(name, value);
    } else if (name == "pictures") {
      const std::string kind = text_of(name, value);
      if (kind != "svg" && kind != "text")
        user_error("the setting '{}' is '{}': there are {}", name, kind, "text, svg");
      settings.svg = kind == "svg";
    }
  }
  return settings;
}

}  // namespace tensorlane::lsp
