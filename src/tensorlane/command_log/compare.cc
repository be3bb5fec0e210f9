#include "tensorlane/command_log/compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "tensorlane/command_log/align.h"
#include "tensorlane/command_log/compare_internal.h"

namespace tensorlane::command_log {
namespace {

// The rows of the table of times: lines of `a` and `b` that counterparts join.
class LineTable {
 public:
  void add(const LaunchComparison& launch) {
    for (const Counterpart& each : launch.counterparts)
      join(launch.a->commands[each.a.front()], launch.b->commands[each.b.front()]);
    for (const Match& each : launch.replaced)
      join(launch.a->commands[each.a], launch.b->commands[each.b]);
    if (launch.a != nullptr) {
      for (const LoggedCommand& command : launch.a->commands) {
        LineCost& line = lines_[row_of(a_rows_, command)];
        if (line.a == nullptr) line.a = &command;
        line.a_us += command.time_us;
        ++line.a_count;
      }
    }
    if (launch.b != nullptr) {
      for (const LoggedCommand& command : launch.b->commands) {
        LineCost& line = lines_[row_of(b_rows_, command)];
        if (line.b == nullptr) line.b = &command;
        line.b_us += command.time_us;
        ++line.b_count;
      }
    }
  }

  std::vector<LineCost> finish() {
    std::ranges::stable_sort(lines_, std::greater(),
                             [](const LineCost& line) { return std::abs(line.b_us - line.a_us); });
    return std::move(lines_);
  }

 private:
  using Rows = std::map<std::string, std::size_t>;
  std::size_t row_of(Rows& rows, const LoggedCommand& command) {
    const auto [at, is_new] = rows.emplace(line_key(command), lines_.size());
    if (is_new) lines_.emplace_back().function = command.function;
    return at->second;
  }
  void join(const LoggedCommand& a, const LoggedCommand& b) {
    if (const auto known = b_rows_.find(line_key(b)); known != b_rows_.end()) {
      a_rows_.emplace(line_key(a), known->second);
    } else {
      b_rows_.emplace(line_key(b), row_of(a_rows_, a));
    }
  }

  std::vector<LineCost> lines_;
  Rows a_rows_, b_rows_;
};

}  // namespace

std::string line_key(const LoggedCommand& command) {
  return fmt::format("{}:{} {}", command.file, command.line, command.function);
}

const Counterpart* LaunchComparison::first_difference() const {
  const auto found = std::ranges::find(counterparts, false, &Counterpart::same_results);
  return found == counterparts.end() ? nullptr : &*found;
}

bool LaunchComparison::same() const {
  return a != nullptr && b != nullptr && only_a.empty() && only_b.empty() &&
         first_difference() == nullptr && a->failed == b->failed;
}

bool Comparison::same() const {
  return std::ranges::all_of(launches, &LaunchComparison::same);
}

Comparison compare(const Log& a, const Log& b, const CompareOptions& options) {
  Comparison result;
  const auto launch_keys = [](const Log& log) {
    std::vector<std::uint64_t> keys;
    for (const LoggedLaunch& launch : log.launches)
      keys.push_back(std::hash<std::string>()(fmt::format("{} {}", launch.device, launch.kernel)));
    return keys;
  };
  LineTable table;
  const auto add = [&](LaunchComparison launch) {
    table.add(launch);
    result.launches.push_back(std::move(launch));
  };
  std::size_t at_a = 0, at_b = 0;
  const auto add_single = [&](std::size_t end_a, std::size_t end_b) {
    for (; at_a < end_a; ++at_a) add({.a = &a.launches[at_a]});
    for (; at_b < end_b; ++at_b) add({.b = &b.launches[at_b]});
  };
  for (const Match& match : align(launch_keys(a), launch_keys(b))) {
    add_single(match.a, match.b);
    add(compare_launches(a.launches[at_a++], b.launches[at_b++], options));
  }
  add_single(a.launches.size(), b.launches.size());
  result.lines = table.finish();
  return result;
}

}  // namespace tensorlane::command_log
