// What would have given the value that should stand where a wrong one does.
//
// The value that a command should have given is followed back as far as its formula can be solved
// for one source after the other. At every command on the way one thing is changed: two sources
// change places, the command is left out, a constant or the operation is another. What then gives
// the value is an explanation.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/why/alternatives.h"
#include "tensorlane/observe/why/elsewhere.h"
#include "tensorlane/observe/why/plain_number.h"
#include "tensorlane/observe/why/replay.h"
#include "tensorlane/observe/why/step_facts.h"
#include "tensorlane/observe/why/suspects.h"

namespace tensorlane::why {
namespace {

constexpr int kDeepest = 24;
constexpr double kFound = 1e-5;  // the precision of a number that was solved for

double tolerance_of(Dtype dtype) {
  if (dtype == Dtype::kFp16) return 3e-3;
  if (dtype == Dtype::kBf16) return 2e-2;
  return 2e-5;
}

class Explainer {
 public:
  Explainer(const ChainFacts& chain, Replay& replay, const trail::Allocations& allocations,
            Suspects& found)
      : chain_(chain),
        replay_(replay),
        allocations_(allocations),
        found_(found),
        choices_(choices_of(chain.launch())) {}

  // `should`: the value that the step should have given.
  void explain(const Json& step, double should, int depth) {
    if (depth > kDeepest) return;
    const auto number = chain_.command(step);
    if (!number || !step.contains("value")) return;
    const auto value = number_of(step["value"].text());
    const Command& command = chain_.launch().commands[*number].command;
    const Operand* const result = command.find(step["operand"].text());
    if (!value || result == nullptr) return;
    if (dtype_info(result->layout.dtype()).is_float)
      tolerance_ = std::max(tolerance_, tolerance_of(result->layout.dtype()));
    if (near(*value, should) || !seen_.emplace(*number, should).second) return;
    const std::size_t before = found_.size();
    if (const Json* const source = chain_.moved(step)) {
      stands_elsewhere(chain_, *number, *source, should, replay_, allocations_, found_);
      follow(*source, should, depth);
    } else if (const auto evaluation = evaluation_of(command, step)) {
      if (near(evaluation->result(), *value)) formula(*number, *evaluation, should, depth);
    } else {
      sum(*number, step, *value, should, depth);
    }
    if (found_.size() == before || !step.value("moved", false)) carried_out(*number, step, should);
  }

 private:
  bool near(double a, double b) const {
    return std::fabs(a - b) <= tolerance_ * std::max(std::fabs(a), std::fabs(b)) + 1e-30;
  }
  void follow(const Json& source, double should, int depth) {
    const auto id = ChainFacts::next(source);
    const Json* const next = id ? chain_.step(*id) : nullptr;
    if (next != nullptr) explain(*next, should, depth + 1);
  }
  void add(std::size_t command, int weight, std::string text) {
    found_.push_back({"explains", weight, command, std::move(text)});
  }

  // The value of entry `k` for which the formula gives `should`.
  std::optional<double> solved(const Evaluation& evaluation, std::size_t k, double should) const {
    std::vector<double> values = evaluation.values;
    double x0 = values[k], y0 = evaluation.result() - should;
    double x1 = x0 + (x0 == 0 ? 1 : 0.01 * std::fabs(x0));
    for (int round = 0; round < 40; ++round) {
      values[k] = x1;
      const double y1 = evaluation.at(values) - should;
      if (!std::isfinite(y1)) return std::nullopt;
      if (std::fabs(y1) <= 1e-12 * std::fabs(should)) return x1;
      if (y1 == y0) return std::nullopt;
      const double next = x1 - y1 * (x1 - x0) / (y1 - y0);
      x0 = x1;
      y0 = y1;
      x1 = next;
    }
    values[k] = x1;
    if (near(evaluation.at(values), should)) return x1;
    return std::nullopt;
  }

  // The command once more, with one thing of it another.
  void carried_out(std::size_t number, const Json& step, double should) {
    const Issued& issued = chain_.launch().commands[number];
    if (!step.contains("index") || !replay_.before(issued.event)) return;
    const Layout::Index at = index_of_json(step["index"]);
    const std::string name = step["operand"].text();
    for (const Alternative& each : alternatives_of(issued.command, choices_)) {
      const auto value = replay_.result(each.command, operand_of(each.command, name), at);
      if (!value || !near(*value, should)) continue;
      add(number, 95, tr("with {} it would give the {:.6g} expected", each.text, should));
      return;
    }
    const int result = operand_of(issued.command, name);
    for (int k = 0; k < issued.command.operand_count(); ++k) {
      const Operand& source = issued.command.operands()[static_cast<std::size_t>(k)];
      if (source.role != Role::kIn) continue;
      for (int a = 0; a < source.layout.rank(); ++a) {
        for (int b = a + 1; b < source.layout.rank(); ++b) {
          if (source.layout.extent(a) < 2 || source.layout.extent(a) != source.layout.extent(b))
            continue;
          const auto value = replay_.transposed(issued.command, result, at, k, a, b);
          if (!value || !near(*value, should)) continue;
          add(number, 95,
              tr("with dimensions {} and {} of {} exchanged it would give the {:.6g} "
                 "expected",
                 a, b, source.name(), should));
          return;
        }
      }
    }
  }
  static int operand_of(const Command& command, std::string_view name) {
    int k = 0;
    while (k < command.operand_count() &&
           command.operands()[static_cast<std::size_t>(k)].name() != name)
      ++k;
    return k;
  }

  void formula(std::size_t number, const Evaluation& evaluation, double should, int depth) {
    const std::vector<double>& values = evaluation.values;
    swapped(number, evaluation, should);
    left_out(number, evaluation, should);
    for (std::size_t k = 0; k < values.size(); ++k) {
      const auto needed = solved(evaluation, k, should);
      if (!needed || near(*needed, values[k])) continue;
      if (evaluation.sources[k] != nullptr) {
        follow(*evaluation.sources[k], *needed, depth);
      } else if (plain_number(*needed, kFound)) {
        add(number, 90,
            tr("with {} = {:.6g} in place of {:.6g} it would give the {:.6g} expected",
               evaluation.params[k], *needed, values[k], should));
      }
    }
  }

  void swapped(std::size_t number, const Evaluation& evaluation, double should) {
    const std::size_t names = evaluation.values.size();
    for (std::size_t a = 0; a < names; ++a) {
      for (std::size_t b = a + 1; b < names; ++b) {
        std::vector<double> values = evaluation.values;
        std::swap(values[a], values[b]);
        if (!near(evaluation.at(values), should)) continue;
        add(number, 97,
            tr("with {} and {} swapped it would give the {:.6g} expected", evaluation.params[a],
               evaluation.params[b], should));
      }
    }
  }

  void left_out(std::size_t number, const Evaluation& evaluation, double should) {
    for (std::size_t k = 0; k < evaluation.values.size(); ++k) {
      if (evaluation.sources[k] == nullptr || !near(evaluation.values[k], should)) continue;
      add(number, 96,
          tr("{} holds the {:.6g} expected: as if this command were one too many",
             evaluation.params[k], should));
    }
  }

  // Sums, means and extremes over many elements.
  void sum(std::size_t number, const Json& step, double value, double should, int depth) {
    const Json* const sources = step.find("sources");
    if (sources == nullptr) return;
    for (const Json& source : *sources) {
      const auto part = source.contains("value") ? number_of(source["value"].text()) : std::nullopt;
      const std::string kind = source["part"].text();
      if (!part || *part == 0 || (kind != "before" && kind != "value")) continue;
      if (near(value - *part, should)) {
        add(number, 96,
            tr("without the {:.6g} of {} it would give the {:.6g} expected", *part,
               source["operand"].text(), should));
      } else if (kind == "before") {
        follow(source, *part + (should - value), depth);
      }
    }
    const Json* const terms = step.find("terms");
    if (terms == nullptr) return;
    const auto total = number_of((*terms)["sum"].text());
    if (!total || *total == 0) return;
    const double needed = should / *total;
    if (near(*total, should)) {
      add(number, 92,
          tr("the plain sum of its {} terms is the {:.6g} expected",
             (*terms)["count"].get<std::int64_t>(), should));
    } else if (!near(value, *total) && plain_number(needed, kFound)) {
      add(number, 91,
          tr("its terms, added up and times {:.6g}, are the {:.6g} expected", needed, should));
    }
    for (const Json& term : (*terms)["largest"]) {
      const auto one = number_of(term["value"].text());
      if (one && near(*one, should) && (*terms)["count"].get<std::int64_t>() > 1)
        add(number, 80, tr("one of its terms alone is the {:.6g} expected", should));
    }
  }

  const ChainFacts& chain_;
  Replay& replay_;
  const trail::Allocations& allocations_;
  Suspects& found_;
  const Choices choices_;
  std::set<std::pair<std::size_t, double>> seen_ = {};  // commands with what they should give
  double tolerance_ = 2e-5;
};

}  // namespace

void find_explanations(const ChainFacts& chain, double expected, Replay& replay,
                       const trail::Allocations& allocations, Suspects& found) {
  const Json* const first = chain.step(0);
  if (first != nullptr) Explainer(chain, replay, allocations, found).explain(*first, expected, 0);
}

}  // namespace tensorlane::why
