#include "tensorlane/observe/why/departure.h"

#include <algorithm>
#include <map>
#include <vector>

namespace tensorlane::why {
namespace {

constexpr std::size_t kLongestRound = 64;

// The steps over `round` values, the commonest of them, and where others stand.
struct Steps {
  std::int64_t common = 0;
  std::size_t alike = 0;
  std::vector<std::size_t> others = {};
};

Steps steps_over(std::span<const std::int64_t> series, std::size_t round) {
  std::map<std::int64_t, std::size_t> counts;
  for (std::size_t k = round; k < series.size(); ++k) ++counts[series[k] - series[k - round]];
  Steps steps;
  for (const auto& [step, count] : counts) {
    if (count > steps.alike) {
      steps.common = step;
      steps.alike = count;
    }
  }
  for (std::size_t k = round; k < series.size(); ++k) {
    if (series[k] - series[k - round] != steps.common) steps.others.push_back(k);
  }
  return steps;
}

// The value that another one in its place would make regular.
std::optional<std::size_t> departing(std::span<const std::int64_t> series, std::size_t round,
                                     const Steps& steps) {
  const std::vector<std::size_t>& others = steps.others;
  if (others.size() == 2 && others[1] == others[0] + round &&
      series[others[1]] - series[others[0] - round] == 2 * steps.common)
    return others[0];
  if (others.size() != 1) return std::nullopt;
  if (others[0] + round >= series.size()) return others[0];  // of the last round
  if (others[0] < 2 * round) return others[0] - round;       // of the first
  return std::nullopt;
}

// All but one are alike.
std::optional<Departure> from_a_constant(std::span<const std::int64_t> series) {
  if (series.size() < 4) return std::nullopt;
  const std::int64_t usual =
      series[0] == series[1] || series[0] == series[2] ? series[0] : series[1];
  std::optional<Departure> found;
  for (std::size_t k = 0; k < series.size(); ++k) {
    if (series[k] == usual) continue;
    if (found) return std::nullopt;
    found = Departure{k, usual, 1, true};
  }
  return found;
}

}  // namespace

std::optional<Departure> departure(std::span<const std::int64_t> series) {
  const std::size_t longest = std::min(kLongestRound, series.size() / 2);
  for (std::size_t round = 1; round <= longest; ++round) {
    if (steps_over(series, round).others.empty()) return std::nullopt;
  }
  if (const auto found = from_a_constant(series)) return found;
  for (std::size_t round = 1; round <= longest && 3 * round <= series.size(); ++round) {
    const Steps steps = steps_over(series, round);
    if (steps.alike < 2) continue;
    const auto at = departing(series, round, steps);
    if (!at) continue;
    const std::int64_t expected =
        *at >= round ? series[*at - round] + steps.common : series[*at + round] - steps.common;
    return Departure{*at, expected, round, round == 1 && steps.common == 0};
  }
  return std::nullopt;
}

}  // namespace tensorlane::why
