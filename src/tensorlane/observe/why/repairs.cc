// What would make wrong values right: mistakes undone one by one, with all that follows from them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/why/constants.h"
#include "tensorlane/observe/why/mistakes.h"
#include "tensorlane/observe/why/plain_number.h"
#include "tensorlane/observe/why/step_facts.h"
#include "tensorlane/observe/why/suspects.h"

namespace tensorlane::why {
namespace {

// How near a value has to come: what a sum in another order may cost; in types of 16 bits more, but
// always much nearer than it was.
constexpr double kNear = 2e-5, kShare = 0.01, kWide = 5e-3;
constexpr double kFound = 2e-4;  // the precision of a number that a search found
constexpr std::size_t kFewCommands = 400;
constexpr int kLikely = 97;  // of a mistake, its weight

class Repairs {
 public:
  Repairs(const ChainFacts& chain, Trial& trial, std::span<const Target> targets, Suspects& found)
      : launch_(chain.launch()),
        choices_(choices_of(launch_)),
        trial_(trial),
        targets_(targets),
        found_(found) {
    now_ = trial.values(targets);
  }

  void find(const Json& steps, const ChainFacts& chain) {
    if (now_.empty()) return;
    // Where nothing is wrong, anything would make it right.
    const bool wrong =
        std::ranges::any_of(targets_, [&, k = std::size_t{0}](const Target& each) mutable {
          const double off = std::fabs(now_.at(k++) - each.expected);
          return each.wrong && !(off <= kNear * std::fabs(each.expected));
        });
    if (!wrong) return;
    std::vector<std::size_t> order;
    std::map<std::size_t, std::vector<std::size_t>> behind;
    std::vector<const Json*> by_depth;
    for (const Json& step : steps) by_depth.push_back(&step);
    std::ranges::stable_sort(by_depth, {},
                             [](const Json* step) { return (*step)["depth"].get<int>(); });
    for (const Json* const step : by_depth) {
      const auto number = chain.command(*step);
      if (!number) continue;
      const std::size_t line = launch_.commands[*number].line;
      std::vector<std::size_t>& own = behind[line];
      if (own.empty()) order.push_back(line);
      if (std::ranges::find(own, *number) == own.end()) own.push_back(*number);
    }
    // Time may not do for all: first what is likely, of the nearest lines. Of long launches line by
    // line, as every call that is tried is kept until then.
    const bool together = launch_.commands.size() <= kFewCommands;
    for (std::size_t k = 0; k < order.size(); k += together ? order.size() : 1) {
      const std::size_t count = together ? order.size() : 1;
      try_lines(std::span(order).subspan(k, count), behind);
    }
  }

 private:
  void try_lines(std::span<const std::size_t> lines,
                 const std::map<std::size_t, std::vector<std::size_t>>& behind) {
    if (trial_.ended()) return;
    std::vector<Mistake> mistakes;
    for (const std::size_t line : lines) {
      for (Mistake& mistake : mistakes_of(launch_, choices_, line, behind.at(line)))
        mistakes.push_back(std::move(mistake));
    }
    std::ranges::stable_sort(mistakes, std::greater{}, &Mistake::weight);
    bool constants_tried = false;
    for (const Mistake& mistake : mistakes) {
      if (mistake.weight < kLikely && !std::exchange(constants_tried, true)) {
        for (const std::size_t line : lines) constants(line);
      }
      try_without(mistake);
    }
    if (!constants_tried) {
      for (const std::size_t line : lines) constants(line);
    }
  }
  void try_without(const Mistake& mistake) {
    if (trial_.ended()) return;
    const auto values = trial_.with(mistake.changes, targets_);
    if (!values) return;
    if (const int exact = fit(*values))
      add(mistake.at, mistake.weight + exact, tr("with {} it would be as expected", mistake.text));
  }
  void add(std::size_t command, int weight, std::string text) {
    if (many()) text += tr(", at all {} elements compared", targets_.size());
    found_.push_back({"repairs", weight, command, std::move(text)});
  }
  bool many() const { return targets_.size() > 1; }

  // 0: does not fit; more, the better it does.
  int fit(std::span<const double> values) const {
    double worst = 0;
    for (std::size_t k = 0; k < targets_.size(); ++k) {
      const double expected = targets_[k].expected, off = std::fabs(values[k] - expected),
                   was = std::fabs(now_[k] - expected), size = std::fabs(expected);
      if (std::isnan(expected) && std::isnan(values[k])) continue;
      if (values[k] == expected) continue;
      const double allowed =
          targets_[k].wrong
              ? std::max(kNear * size,
                         std::isfinite(was) ? std::min(kShare * was, kWide * size) : kNear * size)
              : std::max(kNear * size, 1.5 * was);
      if (!(off <= allowed)) return 0;
      worst = std::max(worst, size > 0 ? off / size : 0);
    }
    return (many() ? 4 : 1) + (worst < 1e-6 ? 2 : worst < kNear ? 1 : 0);
  }

  // Constants of the line: the number for which the first wrong value is as expected.
  void constants(std::size_t line) {
    const Command& first = launch_.commands[launch_.lines[line].issued.front()].command;
    const auto wrong = std::ranges::find_if(targets_, &Target::wrong);
    if (wrong == targets_.end()) return;
    const auto at = static_cast<std::size_t>(wrong - targets_.begin());
    for (std::size_t param = 0; param < first.args().size() && !trial_.ended(); ++param) {
      const ArgKind kind = first.op->types()[param]->kind;
      const auto constant = constant_of(first, param);
      if ((kind != ArgKind::kFloat && kind != ArgKind::kUnion) || !constant) continue;
      const auto value = [&](double other) -> std::optional<std::vector<double>> {
        const Changes changes = with_constant(launch_, line, param, other);
        return trial_.with(changes, targets_);
      };
      const auto needed = solved(*constant, at, wrong->expected, value);
      if (!needed || std::fabs(*needed / *constant - 1) < 1e-6) continue;
      const double number = plain_number(*needed, kFound).value_or(*needed);
      const auto values = value(number);
      // Any value can be had by some number: of one element alone it has to be one that people
      // write.
      if (!values || fit(*values) == 0 || (!many() && !plain_number(*needed, kFound))) continue;
      add(launch_.lines[line].issued.front(),
          (plain_number(*needed, kFound) ? 94 : 88) + fit(*values),
          tr("with {} = {:.6g} in place of {:.6g} it would be as expected",
             first.op->params()[param].name, number, *constant));
    }
  }
  static std::optional<double> solved(double x0, std::size_t at, double should, const auto& value) {
    double x1 = x0 == 0 ? 1 : 1.25 * x0;
    auto y = value(x0);
    if (!y) return std::nullopt;
    double y0 = (*y)[at] - should;
    for (int round = 0; round < 14; ++round) {
      y = value(x1);
      if (!y || !std::isfinite((*y)[at])) return std::nullopt;
      const double y1 = (*y)[at] - should;
      if (std::fabs(y1) <= 1e-6 * std::fabs(should)) return x1;
      if (y1 == y0) return std::nullopt;
      const double next = x1 - y1 * (x1 - x0) / (y1 - y0);
      x0 = x1;
      y0 = y1;
      x1 = next;
      if (!std::isfinite(x1) || std::fabs(x1 - x0) <= 1e-7 * std::fabs(x0)) break;
    }
    return std::isfinite(x1) ? std::optional(x1) : std::nullopt;
  }
  const LaunchCommands& launch_;
  const Choices choices_;
  Trial& trial_;
  std::span<const Target> targets_;
  Suspects& found_;
  std::vector<double> now_;
};

}  // namespace

void find_repairs(const ChainFacts& chain, const Json& steps, std::span<const Target> targets,
                  Trial& trial, Suspects& found) {
  if (trial.possible() && !targets.empty())
    Repairs(chain, trial, targets, found).find(steps, chain);
}

}  // namespace tensorlane::why
