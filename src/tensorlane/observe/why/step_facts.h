// The steps of a chain (chain.h) as numbers: what entered a command, and what came of it.
#ifndef TENSORLANE_OBSERVE_WHY_STEP_FACTS_H_
#define TENSORLANE_OBSERVE_WHY_STEP_FACTS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensorlane/json/json.h"
#include "tensorlane/observe/why/launch_commands.h"
#include "tensorlane/ops/real_formula.h"

namespace tensorlane::why {

// A number as the steps have it: "1.5", "1.5 (0x3fc00000)".
std::optional<double> number_of(std::string_view text);

// The steps by their ids, and their commands.
class ChainFacts {
 public:
  ChainFacts(const Json& steps, const LaunchCommands& launch);

  const Json* step(int id) const;
  // The command of a step; nothing where it is none, or of another launch.
  std::optional<std::size_t> command(const Json& step) const;
  // What a source leads to: the step that wrote its single element, or the weightiest of several.
  static std::optional<int> next(const Json& source);
  // The only source of a step that moved or copied an element.
  const Json* moved(const Json& step) const;
  const LaunchCommands& launch() const { return launch_; }

 private:
  const LaunchCommands& launch_;
  std::map<int, const Json*> steps_;
  std::map<std::uint64_t, std::size_t> commands_;  // by event
};

// The formula of an element-wise command with the numbers that entered it at one element.
struct Evaluation {
  const RealFormula* formula;
  std::vector<double> values;        // per name of the formula
  std::vector<const Json*> sources;  // null for constants
  std::vector<std::string> params;   // as the call names them

  double result() const { return at(values); }
  double at(const std::vector<double>& values) const;
};
// Nothing where the entry has no formula, or a number is not known.
std::optional<Evaluation> evaluation_of(const Command& command, const Json& step);

}  // namespace tensorlane::why

#endif  // TENSORLANE_OBSERVE_WHY_STEP_FACTS_H_
