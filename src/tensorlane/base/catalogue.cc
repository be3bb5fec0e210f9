#include "tensorlane/base/catalogue.h"

#include <algorithm>

namespace tensorlane {
namespace {

// The text between the quotes of a line; empty where there are none.
std::string unquoted(std::string_view line) {
  const std::size_t begin = line.find('"'), end = line.rfind('"');
  std::string text;
  if (begin == end) return text;
  for (std::size_t at = begin + 1; at < end; ++at) {
    if (line[at] == '\\') {
      ++at;
      text += line[at] == 'n' ? '\n' : line[at] == 't' ? '\t' : line[at];
    } else {
      text += line[at];
    }
  }
  return text;
}

}  // namespace

Catalogue read_catalogue(std::string_view po) {
  Catalogue entries;
  std::string english, plural, text;
  std::string* current = &english;  // where the next quoted line belongs
  const auto finish = [&] {
    if (!english.empty()) entries[english] = {plural, text};
    english.clear();
    plural.clear();
    text.clear();
  };
  while (!po.empty()) {
    const std::size_t end = std::min(po.find('\n'), po.size());
    const std::string_view line = po.substr(0, end);
    po.remove_prefix(std::min(end + 1, po.size()));
    if (line.starts_with('#')) continue;
    if (line.starts_with("msgid ")) {
      finish();
      current = &english;
    } else if (line.starts_with("msgid_plural ")) {
      current = &plural;
    } else if (line.starts_with("msgstr")) {
      current = &text;
    }
    *current += unquoted(line);
  }
  finish();
  return entries;
}

}  // namespace tensorlane
