#include "tensorlane/command_log/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>

#include "tensorlane/command_log/align.h"
#include "tensorlane/compare/compare.h"

namespace tensorlane::command_log {
namespace {

using Indices = std::vector<std::size_t>;

// A line of the source and the function it calls.
std::string key_of(const LoggedCommand& command) {
  return fmt::format("{}:{} {}", command.file, command.line, command.function);
}

// The shapes of the results, which a change of addresses and types leaves as they are.
std::string weak_key(const LoggedCommand& command) {
  std::string key = command.function;
  for (const LoggedOperand& operand : command.operands) {
    if (operand.writes()) key += fmt::format(" {}", fmt::join(operand.shape, "x"));
  }
  return key;
}

std::string strong_key(const LoggedCommand& command) {
  std::string key = weak_key(command);
  for (const LoggedOperand& operand : command.operands) {
    if (operand.writes() && operand.after)
      key += fmt::format(" {} {:x}", operand.dtype, operand.after->statistics.hash);
  }
  return key;
}

// A log may say anything of shapes: in double precision nothing overflows.
double result_elements(const LoggedCommand& command) {
  double elements = 0;
  for (const LoggedOperand& operand : command.operands) {
    double size = operand.writes() ? 1 : 0;
    for (const std::int64_t extent : operand.shape) size *= static_cast<double>(extent);
    elements += size;
  }
  return elements;
}

using Key = std::string (*)(const LoggedCommand&);

std::vector<std::uint64_t> keys(const std::vector<LoggedCommand>& commands, std::size_t begin,
                                std::size_t end, Key key) {
  std::vector<std::uint64_t> result;
  for (std::size_t k = begin; k < end; ++k)
    result.push_back(std::hash<std::string>()(key(commands[k])));
  return result;
}

// Tensors that together are one: of tiles.
struct Together {
  inspect::Statistics statistics;
  const Contents* single = nullptr;
  std::string dtype;
};

std::optional<Together> together(const std::vector<const LoggedOperand*>& operands,
                                 std::optional<Contents> LoggedOperand::*when) {
  Together all;
  double sum = 0;
  std::int64_t finite = 0;
  for (const LoggedOperand* const operand : operands) {
    const std::optional<Contents>& contents = operand->*when;
    if (!contents) return {};
    const inspect::Statistics& part = contents->statistics;
    const std::int64_t numbers = part.elements - part.nans - part.infinities;
    inspect::Statistics& sums = all.statistics;
    sums.elements += part.elements;
    sums.nans += part.nans;
    sums.infinities += part.infinities;
    if (numbers > 0) {
      sums.min = finite == 0 ? part.min : std::min(sums.min, part.min);
      sums.max = finite == 0 ? part.max : std::max(sums.max, part.max);
      sum += part.mean * static_cast<double>(numbers);
      finite += numbers;
    }
    all.single = &*contents;
    sums.hash = part.hash;
    all.dtype = operand->dtype;
  }
  if (operands.empty()) return {};
  if (finite > 0) all.statistics.mean = sum / static_cast<double>(finite);
  if (operands.size() > 1) all.single = nullptr;
  return all;
}

bool near(double a, double b, double room) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return a == b || std::abs(a - b) <= room;
}

class LaunchComparer {
 public:
  LaunchComparer(const LoggedLaunch& a, const LoggedLaunch& b, const CompareOptions& options)
      : a_(a.commands), b_(b.commands), options_(options), partner_(a_.size()), taken_(b_.size()) {
    result_.a = &a;
    result_.b = &b;
  }

  LaunchComparison run() {
    const std::vector<Match> anchors = align_between(0, a_.size(), 0, b_.size(), strong_key);
    for_gaps(anchors, [&](std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) {
      align_between(a, a_end, b, b_end, weak_key);
    });
    find_moved();
    find_tiles();
    for (std::size_t k = 0; k < a_.size(); ++k) {
      if (!partner_[k]) result_.only_a.push_back(k);
    }
    for (std::size_t k = 0; k < b_.size(); ++k) {
      if (!taken_[k]) result_.only_b.push_back(k);
    }
    std::ranges::stable_sort(result_.counterparts, {},
                             [](const Counterpart& each) { return each.a.front(); });
    for (Counterpart& each : result_.counterparts) each.same_results = same_results(each);
    return std::move(result_);
  }

 private:
  std::vector<Match> align_between(std::size_t a, std::size_t a_end, std::size_t b,
                                   std::size_t b_end, Key key) {
    std::vector<Match> matches = align(keys(a_, a, a_end, key), keys(b_, b, b_end, key));
    for (Match& match : matches) {
      match.a += a;
      match.b += b;
      pair({match.a}, {match.b}, Counterpart::Kind::kAligned);
    }
    aligned_.insert(aligned_.end(), matches.begin(), matches.end());
    return matches;
  }

  template <class Visit>
  void for_gaps(const std::vector<Match>& matches, const Visit& visit) const {
    Match begin{0, 0};
    for (const Match& match : matches) {
      visit(begin.a, match.a, begin.b, match.b);
      begin = {match.a + 1, match.b + 1};
    }
    visit(begin.a, a_.size(), begin.b, b_.size());
  }

  void pair(Indices a, Indices b, Counterpart::Kind kind) {
    for (const std::size_t each : a) partner_[each] = true;
    for (const std::size_t each : b) taken_[each] = true;
    result_.counterparts.push_back({std::move(a), std::move(b), kind});
  }

  void find_moved() {
    std::map<std::string, Indices> left;  // of b, last first
    for (std::size_t k = b_.size(); k-- > 0;) {
      if (!taken_[k]) left[strong_key(b_[k])].push_back(k);
    }
    for (std::size_t k = 0; k < a_.size(); ++k) {
      if (partner_[k]) continue;
      const auto found = left.find(strong_key(a_[k]));
      if (found == left.end() || found->second.empty()) continue;
      pair({k}, {found->second.back()}, Counterpart::Kind::kMoved);
      found->second.pop_back();
    }
  }

  // What is left of one line and function.
  struct Line {
    const LoggedCommand* first;
    Indices commands;
    double elements = 0;  // of their results
    bool known = false;
  };
  // Of [begin, end).
  static std::vector<Line> lines_of(const std::vector<LoggedCommand>& commands,
                                    const std::vector<bool>& known, std::size_t begin,
                                    std::size_t end) {
    std::vector<Line> lines;
    for (std::size_t k = begin; k < end; ++k) {
      if (known[k]) continue;
      auto line = std::ranges::find_if(
          lines, [&](const Line& each) { return key_of(*each.first) == key_of(commands[k]); });
      if (line == lines.end()) line = lines.insert(line, {&commands[k], {}});
      line->commands.push_back(k);
      line->elements += result_elements(commands[k]);
    }
    return lines;
  }

  // What makes two lines with calls of one function the same one, the surest first.
  static constexpr int kRules = 4;
  static bool meet(const Line& a, const Line& b, int rule) {
    if (a.known || b.known || a.first->function != b.first->function) return false;
    switch (rule) {
      case 0:
        return key_of(*a.first) == key_of(*b.first);
      case 1:
        return !a.first->source.empty() && a.first->source == b.first->source;
      case 2:
        return a.elements == b.elements;
      default:
        return true;
    }
  }

  void find_tiles() {
    std::ranges::sort(aligned_, {}, &Match::a);
    for_gaps(aligned_, [&](std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end) {
      std::vector<Line> left = lines_of(a_, partner_, a, a_end),
                        right = lines_of(b_, taken_, b, b_end);
      for (int rule = 0; rule < kRules; ++rule) {
        for (Line& line : left) {
          const auto other =
              std::ranges::find_if(right, [&](const Line& each) { return meet(line, each, rule); });
          if (other != right.end()) join(line, *other);
        }
      }
    });
  }
  void join(Line& a, Line& b) {
    a.known = b.known = true;
    if (a.elements == b.elements) {
      pair(a.commands, b.commands, Counterpart::Kind::kTiles);
    } else {
      result_.replaced.push_back({a.commands.front(), b.commands.front()});
    }
  }

  bool same_results(const Counterpart& counterpart) const {
    for (std::size_t k = 0; k < a_[counterpart.a.front()].operands.size(); ++k) {
      const auto those = [&](const std::vector<LoggedCommand>& commands, const Indices& which) {
        std::vector<const LoggedOperand*> operands;
        for (const std::size_t each : which) {
          if (k < commands[each].operands.size() && commands[each].operands[k].writes())
            operands.push_back(&commands[each].operands[k]);
        }
        return operands;
      };
      if (difference(those(a_, counterpart.a), those(b_, counterpart.b), &LoggedOperand::after,
                     options_))
        return false;
    }
    return true;
  }

  const std::vector<LoggedCommand>& a_;
  const std::vector<LoggedCommand>& b_;
  const CompareOptions& options_;
  std::vector<bool> partner_, taken_;  // of a, of b: it has a counterpart
  std::vector<Match> aligned_;
  LaunchComparison result_;
};

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
    const auto [at, is_new] = rows.emplace(key_of(command), lines_.size());
    if (is_new) lines_.emplace_back().function = command.function;
    return at->second;
  }
  void join(const LoggedCommand& a, const LoggedCommand& b) {
    if (const auto known = b_rows_.find(key_of(b)); known != b_rows_.end()) {
      a_rows_.emplace(key_of(a), known->second);
    } else {
      b_rows_.emplace(key_of(b), row_of(a_rows_, a));
    }
  }

  std::vector<LineCost> lines_;
  Rows a_rows_, b_rows_;
};

}  // namespace

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

std::optional<std::string> difference(const std::vector<const LoggedOperand*>& a,
                                      const std::vector<const LoggedOperand*>& b,
                                      std::optional<Contents> LoggedOperand::*when,
                                      const CompareOptions& options) {
  const std::optional<Together> left = together(a, when), right = together(b, when);
  if (!left || !right) return {};
  const inspect::Statistics &x = left->statistics, &y = right->statistics;
  if (x.elements != y.elements)
    return fmt::format("{} elements against {}", x.elements, y.elements);
  bool whole = left->single != nullptr && right->single != nullptr;
  const bool same_type = left->dtype == right->dtype;
  if (whole && same_type && x.hash == y.hash) return {};
  whole = whole && a.front()->shape == b.front()->shape;  // the elements come in one order
  const double tolerance = options.between(left->dtype, right->dtype);
  const double scale =
      std::max({std::abs(x.min), std::abs(x.max), std::abs(y.min), std::abs(y.max)});
  // The mean of tiles is rounded in another order.
  const double room = tolerance * scale, mean_room = std::max(room, 1e-12 * scale);
  if (x.nans != y.nans) return fmt::format("{} NaN against {}", x.nans, y.nans);
  if (x.infinities != y.infinities)
    return fmt::format("{} Inf against {}", x.infinities, y.infinities);
  if (whole) {
    for (std::size_t k = 0; k < std::min(left->single->values.size(), right->single->values.size());
         ++k) {
      const double p = left->single->values[k], q = right->single->values[k];
      if (near(p, q, room)) continue;
      const auto values = static_cast<std::int64_t>(left->single->values.size());
      const std::int64_t at =
          values == 1 ? 0 : static_cast<std::int64_t>(k) * (x.elements - 1) / (values - 1);
      return fmt::format("{}: {:.9g} against {:.9g}", compare::index_text(at, a.front()->shape), p,
                         q);
    }
  }
  if (!near(x.min, y.min, room)) return fmt::format("min {:.9g} against {:.9g}", x.min, y.min);
  if (!near(x.max, y.max, room)) return fmt::format("max {:.9g} against {:.9g}", x.max, y.max);
  if (!near(x.mean, y.mean, mean_room))
    return fmt::format("mean {:.9g} against {:.9g}", x.mean, y.mean);
  if (whole && tolerance == 0)
    return fmt::format("other bits; mean {:.9g} against {:.9g}", x.mean, y.mean);
  return {};
}

std::optional<std::pair<const LoggedOperand*, const LoggedOperand*>> differing_result(
    const LaunchComparison& launch, const Counterpart& counterpart, const CompareOptions& options) {
  if (counterpart.a.size() != 1 || counterpart.b.size() != 1) return {};
  const std::vector<LoggedOperand>&a = launch.a->commands[counterpart.a.front()].operands,
        &b = launch.b->commands[counterpart.b.front()].operands;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) {
    if (a[k].writes() && a[k].shape == b[k].shape &&
        difference({&a[k]}, {&b[k]}, &LoggedOperand::after, options))
      return std::pair{&a[k], &b[k]};
  }
  return {};
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
    add(LaunchComparer(a.launches[at_a++], b.launches[at_b++], options).run());
  }
  add_single(a.launches.size(), b.launches.size());
  result.lines = table.finish();
  return result;
}

}  // namespace tensorlane::command_log
