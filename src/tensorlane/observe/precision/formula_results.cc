// Element by element, by the formula of the function.
#include <algorithm>

#include "tensorlane/base/parallel.h"
#include "tensorlane/observe/precision/result_parts.h"
#include "tensorlane/tensor/rounding.h"

namespace tensorlane::precision {
namespace {

// A shift whose rounding to one side says that it takes words apart.
bool takes_words_apart(const Command& command) {
  const auto rounding = param_with_role(*command.op, ParamRole::kDroppedBits);
  if (!rounding) return false;
  const auto mode = static_cast<RoundingMode>(command.args()[*rounding].value());
  return mode == RoundingMode::kTowardsZero || mode == RoundingMode::kDown ||
         mode == RoundingMode::kUp;
}

void evaluate(const RealFormula& formula, const std::vector<const double*>& values,
              Numbers& result) {
  constexpr std::int64_t kGrain = 1 << 15;
  parallel_ranges(static_cast<std::int64_t>(result.size()), least_parallel_work(kGrain),
                  [&](std::int64_t begin, std::int64_t end) {
                    std::vector<const double*> from = values;
                    for (const double*& each : from) each += begin;
                    formula.evaluate(
                        from, std::span(result).subspan(static_cast<std::size_t>(begin),
                                                        static_cast<std::size_t>(end - begin)));
                  });
}

}  // namespace

std::optional<RealResult> by_formula(const Command& command, const DeviceMemory& memory,
                                     const trail::ShadowMemory& shadows) {
  const Operand* const result = first_result(command);
  if (result == nullptr) return std::nullopt;
  const auto size = static_cast<std::size_t>(result->layout.size());
  std::vector<OperandValues> sources;
  const RealFormula& formula = *command.op->formula();
  for (const int at : command.op->formula_params()) {
    const std::string_view param = command.op->params()[static_cast<std::size_t>(at)].name;
    if (const Operand* const operand = command.find(param)) {
      const Indices indices = spread_indices(*operand, *result);
      sources.push_back(spread(values_of(*operand, memory, shadows), indices));
      continue;
    }
    const std::optional<double> constant = constant_of(command, static_cast<std::size_t>(at));
    if (!constant) return std::nullopt;
    sources.push_back({.exact = Numbers(size, *constant)});
  }
  const bool right = std::ranges::none_of(sources, &OperandValues::has_error);
  if (right && takes_words_apart(command)) return std::nullopt;
  std::vector<const double*> exact, best;
  for (const OperandValues& source : sources) {
    if (source.size() != size) return std::nullopt;
    exact.push_back(source.exact.data());
    best.push_back(source.best().data());
  }
  RealResult made{.operand = result, .of_exact = Numbers(size)};
  evaluate(formula, exact, made.of_exact);
  made.real = made.of_exact;
  if (right) return made;
  evaluate(formula, best, made.real);
  Numbers part(size);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (!sources[k].has_error()) continue;
    made.arrived = std::max(made.arrived, relative_error(sources[k]));
    std::vector<const double*> values = best;
    values[k] = exact[k];
    evaluate(formula, values, part);
    for (std::size_t i = 0; i < size; ++i) part[i] -= made.real[i];
    hand_on(sources[k], part, made.blame);
  }
  return made;
}

}  // namespace tensorlane::precision
