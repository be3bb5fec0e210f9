// Members of members of a message, where they are there.
#ifndef TENSORLANE_TOOLS_LSP_JSON_PATH_H_
#define TENSORLANE_TOOLS_LSP_JSON_PATH_H_

#include <initializer_list>
#include <string>
#include <string_view>

#include "tensorlane/json/json.h"

namespace tensorlane::lsp {

// Null where there is none.
inline const Json* find(const Json& from, std::initializer_list<std::string_view> path) {
  const Json* at = &from;
  for (const std::string_view name : path) {
    at = at->is_object() ? at->find(name) : nullptr;
    if (at == nullptr) return nullptr;
  }
  return at;
}
inline bool flag(const Json& from, std::initializer_list<std::string_view> path) {
  const Json* const found = find(from, path);
  return found != nullptr && found->is_boolean() && found->get<bool>();
}
inline std::string text(const Json& from, std::initializer_list<std::string_view> path) {
  const Json* const found = find(from, path);
  return found != nullptr && found->is_string() ? found->text() : std::string();
}

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_JSON_PATH_H_
