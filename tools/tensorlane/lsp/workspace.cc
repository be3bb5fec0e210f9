#include "lsp/workspace.h"

#include <algorithm>
#include <filesystem>

#include "lsp/uri.h"
#include "tensorlane/base/error.h"

namespace tensorlane::lsp {
namespace {

namespace fs = std::filesystem;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

const Json& needed(const Json& from, std::string_view name) {
  const Json* const found = from.is_object() ? from.find(name) : nullptr;
  if (found == nullptr) user_error("the parameters lack '{}'", name);
  return *found;
}

std::int64_t number_in(const Json& from, std::string_view name) {
  const Json& value = needed(from, name);
  if (!value.is_number() || value.is_number_float() || value.get<std::int64_t>() < 0)
    user_error("'{}' is {}: a whole number from 0 is expected", name, value.dump());
  return value.get<std::int64_t>();
}

Position position_of(const Json& from) {
  return {number_in(from, "line"), number_in(from, "character")};
}

}  // namespace

std::string Workspace::file_of(const std::string& path) const {
  if (path.empty()) return path;
  std::error_code error;
  const fs::path absolute = (fs::path(root) / path).lexically_normal();
  const fs::path real = fs::weakly_canonical(absolute, error);
  return error ? absolute.string() : real.string();
}

const Document* Workspace::document(const std::string& uri) const {
  const auto found = documents.find(uri);
  return found == documents.end() ? nullptr : &found->second;
}

std::string Workspace::uri_of_file(const std::string& file) const {
  for (const auto& [uri, document] : documents) {
    if (file_of(path_of_uri(uri)) == file) return uri;
  }
  return uri_of_path(file);
}

Position position_in(const Json& params) {
  return position_of(needed(params, "position"));
}

std::string uri_in(const Json& params) {
  const Json& uri = needed(needed(params, "textDocument"), "uri");
  if (!uri.is_string()) user_error("'{}' is {}: a text is expected", "uri", uri.dump());
  return uri.text();
}

std::optional<Range> range_in(const Json& from) {
  const Json* const range = from.is_object() ? from.find("range") : nullptr;
  if (range == nullptr || range->is_null()) return std::nullopt;
  return Range{position_of(needed(*range, "start")), position_of(needed(*range, "end"))};
}

Json json(const Range& range) {
  const auto place = [](const Position& position) {
    return Json{{"line", position.line}, {"character", position.character}};
  };
  return {{"start", place(range.start)}, {"end", place(range.end)}};
}

std::optional<std::int64_t> line_now(const Document& document, std::int64_t line,
                                     const std::string& source) {
  const std::int64_t was = line - 1;
  const std::string_view text = trimmed(source);
  if (text.empty())
    return was >= 0 && was < document.line_count() ? std::optional(was) : std::nullopt;
  for (std::int64_t away = 0; away <= document.line_count() + std::max<std::int64_t>(was, 0);
       ++away) {
    for (const std::int64_t at : {was - away, was + away}) {
      if (at >= 0 && at < document.line_count() && trimmed(document.line(at)) == text) return at;
    }
  }
  return std::nullopt;
}

}  // namespace tensorlane::lsp
