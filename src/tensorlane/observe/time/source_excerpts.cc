#include "tensorlane/observe/time/source_excerpts.h"

#include <algorithm>
#include <fstream>

namespace tensorlane::observe {
namespace {

constexpr std::size_t kMostLetters = 240;  // of a line; longer ones are no source of people

}  // namespace

void SourceExcerpts::add(const std::string& file, int line) {
  if (file.empty() || line <= 0) return;
  for (int at = std::max(1, line - kAround); at <= line + kAround; ++at) lines_[file].insert(at);
}

Json SourceExcerpts::json() const {
  Json files = Json::object();
  std::size_t left = kMostLines;
  for (const auto& [name, lines] : lines_) {
    std::ifstream file(name);
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
