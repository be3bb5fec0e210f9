// Choices behind a value that nothing else confirms: what could have been another as well, by the
// shapes of what it is passed. They stand in right kernels too; where a value is known to be wrong
// and nothing breaks a pattern, they are what is left.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/observe/precision/meaning.h"
#include "tensorlane/observe/why/alternatives.h"
#include "tensorlane/observe/why/constants.h"
#include "tensorlane/observe/why/step_facts.h"
#include "tensorlane/observe/why/suspects.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/ops/engines.h"

namespace tensorlane::why {
namespace {

// How often each is what is wrong, about: an order among them, all below what counts as a suspect
// by itself.
constexpr int kConstant = 44, kTurned = 43, kOtherWay = 42, kTransposed = 41, kSmallNumber = 45,
              kSpreadFirst = 47, kFunction = 36, kFlag = 34, kType = 30, kStride = 28, kTile = 24,
              kMoves = 20;

bool has(const std::vector<Alternative>& all, std::string_view begin) {
  return std::ranges::any_of(all,
                             [&](const Alternative& each) { return each.key.starts_with(begin); });
}

class Unconfirmed {
 public:
  Unconfirmed(const ChainFacts& chain, const Json& steps, Suspects& found)
      : launch_(chain.launch()), choices_(choices_of(launch_)), found_(found) {
    std::set<std::size_t> lines;
    for (const Json& step : steps) {
      const auto number = chain.command(step);
      if (number && lines.insert(launch_.commands[*number].line).second)
        first_.emplace_back(*number, &step);
    }
    for (const Issued& issued : launch_.commands) {
      for (std::size_t param = 0; param < issued.command.args().size(); ++param) {
        if (const auto value = written_down(issued.command, param))
          constants_[std::fabs(*value)].insert(issued.line);
      }
    }
  }

  void find() {
    for (const auto& [number, step] : first_) look_at(number, *step);
  }

 private:
  // A constant that stands in a call as a number of its own.
  static std::optional<double> written_down(const Command& command, std::size_t param) {
    const ArgKind kind = command.op->types()[param]->kind;
    if (kind != ArgKind::kFloat && kind != ArgKind::kUnion) return std::nullopt;
    const auto value = constant_of(command, param);
    if (!value || *value == 0 || std::fabs(*value) == 1 || std::fabs(*value) > 1e20)
      return std::nullopt;
    return value;
  }

  void add(std::size_t number, int weight, std::string text) {
    found_.push_back({"unconfirmed", weight, number, std::move(text)});
  }

  void look_at(std::size_t number, const Json& step) {
    const Command& command = launch_.commands[number].command;
    const std::vector<Alternative> all = alternatives_of(command, choices_);
    const auto evaluation = evaluation_of(command, step);
    constants(number, step);
    if (has(all, "kernel turned") || has(all, "padding turned") || has(all, "stride turned"))
      add(number, kTurned, tr("rows and columns of its window could change places"));
    if (other_way(all, evaluation)) {
      const int first = spread(command);
      if (first == 0)
        add(number, kSpreadFirst,
            tr("its first source is spread over the second: rather the other way round?"));
      else
        add(number, first < 0 ? kOtherWay : kFunction,
            tr("its two sources would fit the other way round"));
    }
    functions(number, all, evaluation.has_value());
    if (has(all, "src_dtype choice") || has(all, "dst_dtype choice") || has(all, "dtype choice"))
      add(number, kType, tr("another type as wide would fit"));
    flags(number, all);
    strides(number, all);
  }

  void flags(std::size_t number, const std::vector<Alternative>& all) {
    const Command& command = launch_.commands[number].command;
    for (std::size_t param = 0; param < command.args().size(); ++param) {
      const Param& at = command.op->params()[param];
      if (at.type != "bool" || !has(all, fmt::format("{} 0=", at.name))) continue;
      add(number, kFlag,
          tr("{} is {}, the other would fit", at.name,
             argument_text(*command.op, command.args(), param)));
      return;
    }
  }

  // A number that no other line has.
  void constants(std::size_t number, const Json& step) {
    const Issued& issued = launch_.commands[number];
    for (std::size_t param = 0; param < issued.command.args().size(); ++param) {
      const auto value = written_down(issued.command, param);
      if (!value || constants_.at(std::fabs(*value)).size() > 1 || is_of_mean(step, *value))
        continue;
      const Json* const result = step.find("value");
      const auto size = result == nullptr ? std::nullopt : number_of(result->text());
      const bool small =
          size && std::fabs(*value) < 0.05 * std::fabs(*size) && std::fabs(*value) < 0.05;
      const std::string name(issued.command.op->params()[param].name);
      if (small) {
        add(number, kSmallNumber,
            tr("{} = {:.6g} is small beside {:.6g}: it may belong elsewhere", name, *value, *size));
      } else {
        add(number, kConstant, tr("no other line has {} = {:.6g}", name, *value));
      }
    }
  }

  // One over the number of elements.
  static bool is_of_mean(const Json& step, double value) {
    const Json* const sources = step.find("sources");
    if (sources == nullptr) return false;
    return std::ranges::any_of(*sources, [&](const Json& source) {
      const auto count = static_cast<double>(source["elements"].get<std::int64_t>());
      return count > 1 && std::fabs(value * count - 1) < 1e-3;
    });
  }

  // Stride 0 along a dimension that it has elements in.
  static bool is_spread(const Operand& operand) {
    const Layout& layout = operand.layout;
    Layout::Index last{};
    for (int dim = 0; dim < layout.rank(); ++dim) {
      if (layout.extent(dim) < 2) continue;
      last = {};
      last[static_cast<std::size_t>(dim)] = layout.extent(dim) - 1;
      if (layout.address(last) == layout.address(Layout::Index{})) return true;
    }
    return false;
  }
  // The first two sources: which is spread over the other.
  static int spread(const Command& command) {
    int number = 0;
    for (const Operand& operand : command.operands()) {
      if (operand.role != Role::kIn) continue;
      if (is_spread(operand)) return number;
      ++number;
    }
    return -1;
  }

  static bool other_way(const std::vector<Alternative>& all,
                        const std::optional<Evaluation>& evaluation) {
    if (!has(all, "swap")) return false;
    if (!evaluation || evaluation->values.size() < 2) return evaluation == std::nullopt;
    std::vector<double> values = evaluation->values;
    // At numbers that say more than two equal ones would.
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = 1.5 + 2.25 * static_cast<double>(k);
    const double before = evaluation->at(values);
    std::swap(values[0], values[1]);
    return evaluation->at(values) != before;
  }

  static bool has_alike(const Layout& layout) {
    for (int a = 0; a < layout.rank(); ++a) {
      for (int b = a + 1; b < layout.rank(); ++b) {
        if (layout.extent(a) > 1 && layout.extent(a) == layout.extent(b)) return true;
      }
    }
    return false;
  }

  // Functions that take the same: those that read a source by other rows, and those that compute
  // something else.
  void functions(std::size_t number, const std::vector<Alternative>& all, bool formula) {
    const Op& op = *launch_.commands[number].command.op;
    const Operand& mine = launch_.commands[number].command.operands().front();
    const bool moves = is_dma(op.engine()) || op.spec().dependence == Dependence::kMoved;
    // Of a copy, those that exchange dimensions where two are alike.
    if (moves && !has_alike(mine.layout)) return;
    std::vector<std::string_view> names;
    for (const Alternative& each : all) {
      if (each.command.op == &op || each.command.operand_storage.empty()) continue;
      const Layout& its = each.command.operands().front().layout;
      if (its.dtype() == mine.layout.dtype() && its.size() == mine.layout.size())
        names.push_back(each.command.op->name());
    }
    if (names.empty()) return;
    const bool products = !formula && op.spec().operands.front().combination == Combination::kSum;
    constexpr std::size_t kShown = 2;
    std::string text(names.front());
    for (std::size_t k = 1; k < std::min(kShown, names.size()); ++k)
      text += fmt::format(", {}", names[k]);
    if (names.size() > kShown) text += ", ...";
    add(number,
        products ? kTransposed
        : moves  ? kMoves
                 : kFunction,
        tr("{} would fit as well", text));
  }

  void strides(std::size_t number, const std::vector<Alternative>& all) {
    const Command& command = launch_.commands[number].command;
    for (std::size_t param = 0; param < command.args().size(); ++param) {
      const std::string_view name = command.op->params()[param].name;
      if (command.args()[param].is_null || !is_stride(*command.op, name)) continue;
      if (has(all, fmt::format("{} turned", name))) {
        add(number, kStride, tr("rows and columns of {} could change places", name));
        return;
      }
      if (has(all, fmt::format("{} plain", name))) {
        add(number, kStride, tr("without {} it would fit as well", name));
        return;
      }
    }
    // A square without strides.
    const std::span<const Operand> operands = command.operands();
    for (const Operand& operand : operands) {
      if (operand.role != Role::kIn || operand.layout.rank() < 4) continue;
      const std::int64_t h = operand.layout.extent(2), w = operand.layout.extent(3);
      if (h > 1 && h == w && is_dma(command.engine())) {
        add(number, kTile,
            tr("{} x {} elements of {} would fit with rows and columns exchanged", h, w,
               operand.name()));
        return;
      }
    }
  }

  const LaunchCommands& launch_;
  const Choices choices_;
  Suspects& found_;
  std::vector<std::pair<std::size_t, const Json*>> first_;  // of each line, with its step
  std::map<double, std::set<std::size_t>> constants_;       // the lines that have a number
};

}  // namespace

void find_unconfirmed(const ChainFacts& chain, const Json& steps, Suspects& found) {
  Unconfirmed(chain, steps, found).find();
}

}  // namespace tensorlane::why
