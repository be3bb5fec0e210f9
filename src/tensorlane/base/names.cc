#include "tensorlane/base/names.h"
#include "tensorlane/base/language.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <string>

namespace tensorlane {
namespace {

std::string lower(std::string_view text) {
  std::string result;
  for (const char c : text) {
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return result;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  std::vector<int> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    int diagonal = row[0];
    row[0] = static_cast<int>(i) + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const int replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string did_you_mean(std::string_view name, std::span<const std::string_view> candidates) {
  std::string_view nearest;
  int best = static_cast<int>(name.size()) / 3 + 2;
  for (std::string_view candidate : candidates) {
    // The begin of a name is near it, however long the rest.
    const bool begins = name.size() >= 2 && lower(candidate).starts_with(lower(name));
    const int distance = begins ? 1 : edit_distance(lower(name), lower(candidate));
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty()) return tr("; did you mean '{}'?", nearest);
  constexpr std::size_t kShort = 12;  // a longer list helps nobody in a message
  if (candidates.size() > kShort) return {};
  return tr("; known are {}", fmt::join(candidates, ", "));
}

}  // namespace tensorlane
