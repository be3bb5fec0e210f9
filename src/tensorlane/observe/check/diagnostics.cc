// The diagnostics of all checks, and their pages.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/observe/check/check_list.h"
#include "tensorlane/observe/check/finding.h"
#include "tensorlane/observe/check/pages.h"

namespace tensorlane::check {
namespace {

std::string upper(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return result;
}

// Of the interfaces, each once, however many chips they have.
std::vector<std::string_view> prefixes() {
  std::vector<std::string_view> all;
  for (const Chip* chip : all_chips()) {
    if (std::ranges::find(all, chip->api.prefix) == all.end()) all.push_back(chip->api.prefix);
  }
  return all;
}

}  // namespace

std::string class_name(const Diagnostic& diagnostic) {
  std::string_view name = diagnostic.id.substr(diagnostic.id.find('-') + 1);
  std::string result(name.substr(0, name.find('-')));
  std::transform(result.begin(), result.end(), result.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return result;
}

std::string_view severity_name(Severity severity) {
  constexpr std::string_view kNames[] = {msg("error"), msg("warning"), msg("advice")};
  return kNames[static_cast<std::size_t>(severity)];
}

std::string spelled(std::string_view text, std::string_view prefix) {
  std::string result;
  while (!text.empty()) {
    const std::size_t mark = std::min(text.find('$'), text.size());
    result += text.substr(0, mark);
    text.remove_prefix(mark);
    if (text.empty()) break;
    const std::size_t end =
        std::min(text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_()", 1), text.size());
    const std::string_view name = text.substr(1, end - 1);
    if (prefix.empty()) {
      std::vector<std::string> names;
      for (const std::string_view each : prefixes())
        names.push_back(fmt::format("{}{}", each, name));
      result += fmt::format("{}", fmt::join(names, tr(" or ")));
    } else {
      result += fmt::format("{}{}", prefix, name);
    }
    text.remove_prefix(end);
  }
  return result;
}

std::vector<Diagnostic> diagnostics() {
  std::vector<Diagnostic> all;
  for (const CheckRow& row : check_rows()) {
    const std::span<const Diagnostic> own = row.parts().diagnostics;
    all.insert(all.end(), own.begin(), own.end());
  }
  std::ranges::sort(all, {}, &Diagnostic::id);
  return all;
}

const Diagnostic& find_diagnostic(std::string_view id) {
  const std::string wanted = upper(id);
  std::vector<std::string_view> ids;
  for (const CheckRow& row : check_rows()) {
    for (const Diagnostic& diagnostic : row.parts().diagnostics) {
      if (diagnostic.id == wanted) return diagnostic;
      ids.push_back(diagnostic.id);
    }
  }
  // A class of them is asked for by its name: "race".
  std::vector<std::string_view> of_class;
  for (const std::string_view one : ids) {
    if (one.find(fmt::format("-{}-", wanted)) != one.npos) of_class.push_back(one);
  }
  std::string hint = did_you_mean(wanted, ids);
  if (hint.empty()) hint = tr("; tensorlane explain lists all");
  if (!of_class.empty()) hint = tr("; known are {}", fmt::join(of_class, ", "));
  user_error("no diagnostic is called '{}'{}", id, hint);
}

void need_diagnostics(std::string_view pattern) {
  const std::string text(pattern);
  std::vector<std::string_view> ids;
  for (const CheckRow& row : check_rows()) {
    for (const Diagnostic& diagnostic : row.parts().diagnostics) {
      if (::fnmatch(text.c_str(), std::string(diagnostic.id).c_str(), 0) == 0) return;
      ids.push_back(diagnostic.id);
    }
  }
  std::vector<std::string> classes;
  for (const std::string_view id : ids)
    classes.push_back(fmt::format("{}-*", id.substr(0, id.rfind('-'))));
  ids.insert(ids.end(), classes.begin(), classes.end());
  user_error("no diagnostic is called '{}'{}", pattern, did_you_mean(upper(pattern), ids));
}

std::string_view diagnostic_page(const Diagnostic& diagnostic) {
  const auto page_in = [&](const Pages& pages) {
    const auto found = std::ranges::find(pages, diagnostic.id, &Pages::value_type::first);
    return found == pages.end() ? std::string_view{} : found->second;
  };
  if (language() == Language::kChinese && !page_in(kChinesePages).empty())
    return page_in(kChinesePages);
  if (!page_in(kPages).empty()) return page_in(kPages);
  internal_error_at(__FILE__, __LINE__, fmt::format("no page for {}", diagnostic.id));
}

}  // namespace tensorlane::check
