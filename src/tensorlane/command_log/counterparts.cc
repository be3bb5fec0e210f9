// Which commands of two launches stand for each other.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <functional>
#include <map>
#include <numeric>

#include "tensorlane/command_log/align.h"
#include "tensorlane/command_log/compare_internal.h"

namespace tensorlane::command_log {
namespace {

using Indices = std::vector<std::size_t>;

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

// In double precision, which no sum overflows.
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
    for (Counterpart& each : result_.counterparts) {
      each.same_results = same_results(each.a, each.b);
      if (!each.same_results && each.kind == Counterpart::Kind::kTiles) find_first_tiles(each);
    }
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
          lines, [&](const Line& each) { return line_key(*each.first) == line_key(commands[k]); });
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
        return line_key(*a.first) == line_key(*b.first);
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

  // Where tiles of both begin at the same places, those of the first part that differs. They may
  // come in the other order.
  void find_first_tiles(Counterpart& counterpart) const {
    const std::size_t parts = std::gcd(counterpart.a.size(), counterpart.b.size());
    if (parts < 2) return;
    const auto part = [&](const Indices& all, std::size_t k) {
      const auto each = static_cast<std::ptrdiff_t>(all.size() / parts);
      const auto begin = all.begin() + static_cast<std::ptrdiff_t>(k) * each;
      return Indices(begin, begin + each);
    };
    std::size_t fewest = parts;
    for (const bool reversed : {false, true}) {
      std::size_t differing = 0, first = 0;
      for (std::size_t k = parts; k-- > 0;) {
        const std::size_t other = reversed ? parts - 1 - k : k;
        if (same_results(part(counterpart.a, other), part(counterpart.b, k))) continue;
        ++differing;
        first = k;
      }
      if (differing == 0 || (reversed && differing >= fewest)) continue;
      fewest = differing;
      counterpart.first_a = part(counterpart.a, reversed ? parts - 1 - first : first);
      counterpart.first_b = part(counterpart.b, first);
    }
  }

  bool same_results(const Indices& left, const Indices& right) const {
    for (std::size_t k = 0; k < a_[left.front()].operands.size(); ++k) {
      const auto those = [&](const std::vector<LoggedCommand>& commands, const Indices& which) {
        std::vector<const LoggedOperand*> operands;
        for (const std::size_t each : which) {
          if (k < commands[each].operands.size() && commands[each].operands[k].writes())
            operands.push_back(&commands[each].operands[k]);
        }
        return operands;
      };
      if (difference(those(a_, left), those(b_, right), &LoggedOperand::after, options_))
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

}  // namespace

LaunchComparison compare_launches(const LoggedLaunch& a, const LoggedLaunch& b,
                                  const CompareOptions& options) {
  return LaunchComparer(a, b, options).run();
}

}  // namespace tensorlane::command_log
