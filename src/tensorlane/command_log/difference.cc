// Whether what two commands read or wrote is the same.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "tensorlane/base/language.h"
#include "tensorlane/command_log/compare.h"
#include "tensorlane/compare/compare.h"

namespace tensorlane::command_log {
namespace {

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

// "f(a, &(dim4){1, 2}, c);" -> "a", "&(dim4){1, 2}", "c"
std::vector<std::string> arguments_of(const std::string& call) {
  std::vector<std::string> arguments;
  const std::size_t begin = call.find('('), end = call.rfind(')');
  if (begin == std::string::npos || end == std::string::npos || end <= begin) return arguments;
  int depth = 0;
  std::string argument;
  for (std::size_t k = begin + 1; k < end; ++k) {
    const char c = call[k];
    depth += c == '(' || c == '{' ? 1 : c == ')' || c == '}' ? -1 : 0;
    if (c == ',' && depth == 0) {
      arguments.push_back(std::move(argument));
      argument.clear();
    } else if (c != ' ' || !argument.empty()) {
      argument += c;
    }
  }
  if (!argument.empty()) arguments.push_back(std::move(argument));
  return arguments;
}

bool near(double a, double b, double room) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  return a == b || std::abs(a - b) <= room;
}

}  // namespace

std::optional<std::string> difference(const std::vector<const LoggedOperand*>& a,
                                      const std::vector<const LoggedOperand*>& b,
                                      std::optional<Contents> LoggedOperand::*when,
                                      const CompareOptions& options) {
  const std::optional<Together> left = together(a, when), right = together(b, when);
  if (!left || !right) return {};
  const inspect::Statistics &x = left->statistics, &y = right->statistics;
  if (x.elements != y.elements) return tr("{} elements against {}", x.elements, y.elements);
  bool whole = left->single != nullptr && right->single != nullptr;
  const bool same_type = left->dtype == right->dtype;
  if (whole && same_type && x.hash == y.hash) return {};
  whole = whole && a.front()->shape == b.front()->shape;  // the elements come in one order
  const double tolerance = options.between(left->dtype, right->dtype);
  const double scale =
      std::max({std::abs(x.min), std::abs(x.max), std::abs(y.min), std::abs(y.max)});
  // The mean of tiles is rounded in another order.
  const double room = tolerance * scale, mean_room = std::max(room, 1e-12 * scale);
  if (x.nans != y.nans) return tr("{} NaN against {}", x.nans, y.nans);
  if (x.infinities != y.infinities) return tr("{} Inf against {}", x.infinities, y.infinities);
  if (whole) {
    for (std::size_t k = 0; k < std::min(left->single->values.size(), right->single->values.size());
         ++k) {
      const double p = left->single->values[k], q = right->single->values[k];
      if (near(p, q, room)) continue;
      const auto values = static_cast<std::int64_t>(left->single->values.size());
      const std::int64_t at =
          values == 1 ? 0 : static_cast<std::int64_t>(k) * (x.elements - 1) / (values - 1);
      return tr("{}: {:.9g} against {:.9g}", compare::index_text(at, a.front()->shape), p, q);
    }
  }
  if (!near(x.min, y.min, room)) return tr("min {:.9g} against {:.9g}", x.min, y.min);
  if (!near(x.max, y.max, room)) return tr("max {:.9g} against {:.9g}", x.max, y.max);
  if (!near(x.mean, y.mean, mean_room)) return tr("mean {:.9g} against {:.9g}", x.mean, y.mean);
  if (whole && tolerance == 0) return tr("other bits; mean {:.9g} against {:.9g}", x.mean, y.mean);
  return {};
}

std::vector<std::pair<std::string, std::string>> unlike_arguments(
    const std::string& call, const std::vector<std::string>& others) {
  const std::vector<std::string> own = arguments_of(call);
  std::vector<std::vector<std::string>> all;
  for (const std::string& other : others) {
    all.push_back(arguments_of(other));
    if (all.back().size() != own.size()) return {};
  }
  std::vector<std::pair<std::string, std::string>> unlike;
  for (std::size_t k = 0; k < own.size() && !all.empty(); ++k) {
    const std::string& usual = all.front()[k];
    if (usual != own[k] && std::ranges::all_of(all, [&](const std::vector<std::string>& each) {
          return each[k] == usual;
        }))
      unlike.emplace_back(own[k], usual);
  }
  return unlike;
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

}  // namespace tensorlane::command_log
