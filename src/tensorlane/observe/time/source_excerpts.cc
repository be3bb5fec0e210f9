#include "tensorlane/observe/time/source_excerpts.h"

#include <algorithm>
#include <fstream>

namespace tensorlane::observe {
namespace {

constexpr std::size_t kMostLetters = 240;  // of a line; longer ones are no source of people

}  // namespace

void SourceExcerpts::add(const std::string& file, int line, const std::string& else_file) {
  if (file.empty() || line <= 0) return;
  if (!else_file.empty() && else_file != file) else_files_.try_emplace(file, else_file);
  for (int at = std::max(1, line - kAround); at <= line + kAround; ++at) lines_[file].insert(at);
}

Json SourceExcerpts::json() const {
  Json files = Json::object();
  std::size_t left = kMostLines;
  for (const auto& [name, lines] : lines_) {
    std::ifstream file(name);
    if (const auto other = else_files_.find(name); !file && other != else_files_.end())
      file.open(other->second);
    Json texts = Json::object();
    std::string text;
    int number = 0;
    for (const int line : lines) {
      if (left == 0) break;
      while (number < line && std::getline(file, text)) ++number;
      if (number < line) break;
      while (!text.empty() && text.back() == '\r') text.pop_back();
      if (text.size() > kMostLetters) continue;
      texts[std::to_string(line)] = text;
      --left;
    }
    if (!texts.empty()) files[name] = texts;
  }
  return files;
}

}  // namespace tensorlane::observe
