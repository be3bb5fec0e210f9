#include "tensorlane/observe/why/step_facts.h"

#include <cstdlib>

#include "tensorlane/observe/why/constants.h"

namespace tensorlane::why {

std::optional<double> number_of(std::string_view text) {
  const std::string number(text.substr(0, text.find(' ')));
  char* end = nullptr;
  const double value = std::strtod(number.c_str(), &end);
  if (number.empty() || end != number.c_str() + number.size()) return std::nullopt;
  return value;
}

ChainFacts::ChainFacts(const Json& steps, const LaunchCommands& launch) : launch_(launch) {
  for (const Json& step : steps) steps_[step["id"].get<int>()] = &step;
  for (std::size_t k = 0; k < launch.commands.size(); ++k) commands_[launch.commands[k].event] = k;
}

const Json* ChainFacts::step(int id) const {
  const auto found = steps_.find(id);
  return found == steps_.end() ? nullptr : found->second;
}

std::optional<std::size_t> ChainFacts::command(const Json& step) const {
  if (step["kind"].text() != "command" || !step.contains("event")) return std::nullopt;
  const auto found = commands_.find(step["event"].get<std::uint64_t>());
  if (found == commands_.end()) return std::nullopt;
  return found->second;
}

std::optional<int> ChainFacts::next(const Json& source) {
  for (const Json& writer : source["writers"]) {
    if (writer.contains("step")) return writer["step"].get<int>();
  }
  return std::nullopt;
}

const Json* ChainFacts::moved(const Json& step) const {
  const Json* const sources = step.find("sources");
  if (sources == nullptr) return nullptr;
  const Json* found = nullptr;
  for (const Json& source : *sources) {
    if (source["part"].text() != "value") continue;
    if (found != nullptr || !source.contains("value")) return nullptr;
    found = &source;
  }
  if (found == nullptr || !step.value("moved", false)) return nullptr;
  return found;
}

double Evaluation::at(const std::vector<double>& with) const {
  std::vector<const double*> pointers;
  for (const double& value : with) pointers.push_back(&value);
  double result = 0;
  formula->evaluate(pointers, std::span(&result, 1));
  return result;
}

std::optional<Evaluation> evaluation_of(const Command& command, const Json& step) {
  const Json* const sources = step.find("sources");
  const Op& op = *command.op;
  if (op.formula() == nullptr || op.spec().only_moves || sources == nullptr) return std::nullopt;
  Evaluation evaluation{op.formula(), {}, {}, {}};
  for (const int at : op.formula_params()) {
    const std::string_view param = op.params()[static_cast<std::size_t>(at)].name;
    const Json* found = nullptr;
    for (const Json& source : *sources) {
      if (source["operand"].text() == param && source.contains("value")) found = &source;
    }
    std::optional<double> value;
    if (found != nullptr) {
      value = number_of((*found)["value"].text());
    } else if (command.find(param) == nullptr) {
      value = constant_of(command, static_cast<std::size_t>(at));
    }
    if (!value) return std::nullopt;
    evaluation.values.push_back(*value);
    evaluation.sources.push_back(found);
    evaluation.params.emplace_back(param);
  }
  return evaluation;
}

}  // namespace tensorlane::why
