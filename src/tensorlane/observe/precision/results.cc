#include "tensorlane/observe/precision/results.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tensorlane/observe/precision/reduction.h"
#include "tensorlane/observe/precision/result_parts.h"

namespace tensorlane::precision {
namespace {

std::optional<RealResult> by_maximum(const Command& command, const DeviceMemory& memory,
                                     const trail::ShadowMemory& shadows) {
  const Operand* const result = first_result(command);
  const Operand* source = nullptr;
  for (const Operand& operand : command.operands()) {
    if (operand.role == Role::kIn && source == nullptr) source = &operand;
  }
  if (result == nullptr || source == nullptr) return std::nullopt;
  const OperandValues values = values_of(*source, memory, shadows);
  const Reduction reduction(command, {source}, *result, false);
  RealResult made{.operand = result, .arrived = relative_error(values)};
  std::vector<bool> padded;  // part of the window is padding
  const std::vector<std::int64_t> exact = reduction.largest(values.exact.data(), padded);
  const std::vector<std::int64_t> best =
      values.has_error() ? reduction.largest(values.real.data(), padded) : exact;
  constexpr double kNoPadding = -std::numeric_limits<double>::infinity();
  double padding = kNoPadding;
  if (const auto param = param_with_role(*command.op, ParamRole::kPadding))
    padding = constant_of(command, *param).value_or(kNoPadding);
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const auto a = static_cast<std::size_t>(exact[i]), b = static_cast<std::size_t>(best[i]);
    // A window of padding alone holds the padding: it is what it should be.
    made.of_exact.push_back(exact[i] < 0 ? std::nan("") : values.exact[a]);
    made.real.push_back(best[i] < 0 ? std::nan("") : values.best()[b]);
    if (values.has_error()) made.blame.push_back(best[i] < 0 ? trail::Blame() : values.blame[b]);
    if (padding == kNoPadding || !padded[i]) continue;
    made.of_exact[i] = std::fmax(made.of_exact[i], padding);
    made.real[i] = std::fmax(made.real[i], padding);
  }
  return made;
}

}  // namespace

std::optional<RealResult> real_result(const Command& command, const Meaning& meaning,
                                      const DeviceMemory& memory,
                                      const trail::ShadowMemory& shadows) {
  switch (meaning.kind) {
    case Meaning::Kind::kFormula:
      return by_formula(command, memory, shadows);
    case Meaning::Kind::kProducts:
    case Meaning::Kind::kMean:
      return by_sum(command, meaning, memory, shadows);
    case Meaning::Kind::kMaximum:
      return by_maximum(command, memory, shadows);
    default:
      return std::nullopt;
  }
}

}  // namespace tensorlane::precision
