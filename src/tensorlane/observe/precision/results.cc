#include "tensorlane/observe/precision/results.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "tensorlane/inspect/operand_elements.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/precision/operand_values.h"
#include "tensorlane/observe/precision/reduction.h"
#include "tensorlane/ops/constants.h"
#include "tensorlane/ops/param_roles.h"
#include "tensorlane/trail/element_origins.h"

namespace tensorlane::precision {
namespace {

// The integer in the parameter with a role; 0 where there is none.
double integer_of(const Command& command, ParamRole role) {
  const auto param = param_with_role(*command.op, role);
  return param ? static_cast<double>(command.args()[*param].value()) : 0;
}

const Operand* first_result(const Command& command) {
  const auto found =
      std::ranges::find_if(command.operands(), [](const Operand& each) { return each.writes(); });
  return found == command.operands().end() ? nullptr : &*found;
}

// The offset of a quantisation is a field of 16 bits, with the sign of its type.
Dtype as_offset(Dtype dtype) {
  return dtype_info(dtype).is_signed ? Dtype::kInt16 : Dtype::kUint16;
}

// A parameter that is no tensor in this call, as a number.
std::optional<double> constant_of(const Command& command, std::size_t at) {
  const Arg& arg = command.args()[at];
  const auto number = [&](std::int64_t bits, Dtype dtype) {
    return inspect::value_of(static_cast<std::uint32_t>(bits), inspect::readable(dtype));
  };
  switch (command.op->types()[at]->kind) {
    case ArgKind::kFloat:
      return number(arg.value(), Dtype::kFp32);
    case ArgKind::kInteger:
      return static_cast<double>(arg.value());
    case ArgKind::kUnion:
    case ArgKind::kValueOrAddress: {
      const bool in_union = command.op->types()[at]->kind == ArgKind::kUnion;
      if (!in_union && arg.is_address()) return std::nullopt;
      const std::optional<Dtype> type = constant_type(*command.op, command.args(), at);
      if (!type) return std::nullopt;
      const bool offset = constant_use(*command.op, at) == ConstantUse::kOffset;
      return number(in_union ? arg.value() : arg.constant(), offset ? as_offset(*type) : *type);
    }
    default:
      return std::nullopt;
  }
}

// The error of a source as a share of its magnitude.
double relative_error(const OperandValues& source) {
  if (!source.has_error()) return 0;
  double errors = 0, values = 0;
  for (std::size_t i = 0; i < source.size(); ++i) {
    if (!std::isfinite(source.exact[i]) || !std::isfinite(source.real[i])) continue;
    errors += (source.exact[i] - source.real[i]) * (source.exact[i] - source.real[i]);
    values += source.real[i] * source.real[i];
  }
  return values > 0 ? std::sqrt(errors / values) : 0;
}

// What an error of `source` becomes in the result: `part[i]` of the result's error.
void hand_on(const OperandValues& source, std::span<const double> part,
             std::vector<trail::Blame>& blame) {
  blame.resize(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) {
    const double error = source.exact[i] - source.real[i];
    if (error == 0 || part[i] == 0) continue;
    for (std::size_t k = 0; k < source.blame[i].line.size(); ++k) {
      if (source.blame[i].line[k] != trail::Blame::kNobody)
        blame[i].add(source.blame[i].line[k], source.blame[i].amount[k] * part[i] / error);
    }
  }
}

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
      const std::vector<std::int64_t> indices = spread_indices(*operand, *result);
      sources.push_back(spread(values_of(*operand, memory, shadows), indices));
      continue;
    }
    const std::optional<double> constant = constant_of(command, static_cast<std::size_t>(at));
    if (!constant) return std::nullopt;
    sources.push_back({.exact = std::vector<double>(size, *constant)});
  }
  std::vector<const double*> exact, best;
  for (const OperandValues& source : sources) {
    if (source.size() != size) return std::nullopt;
    exact.push_back(source.exact.data());
    best.push_back(source.best().data());
  }
  RealResult made{.operand = result, .of_exact = std::vector<double>(size)};
  formula.evaluate(exact, made.of_exact);
  made.real = made.of_exact;
  if (std::ranges::none_of(sources, &OperandValues::has_error)) return made;
  formula.evaluate(best, made.real);
  std::vector<double> part(size);
  for (std::size_t k = 0; k < sources.size(); ++k) {
    if (!sources[k].has_error()) continue;
    made.arrived = std::max(made.arrived, relative_error(sources[k]));
    std::vector<const double*> values = best;
    values[k] = exact[k];
    formula.evaluate(values, part);
    for (std::size_t i = 0; i < size; ++i) part[i] -= made.real[i];
    hand_on(sources[k], part, made.blame);
  }
  return made;
}

// The lines with the largest part in the errors of a tensor.
std::vector<std::uint16_t> largest_lines(const OperandValues& values) {
  constexpr std::size_t kMost = 4;
  std::map<std::uint16_t, double> parts;
  for (const trail::Blame& blame : values.blame) {
    for (std::size_t k = 0; k < blame.line.size(); ++k) {
      if (blame.line[k] != trail::Blame::kNobody) parts[blame.line[k]] += std::abs(blame.amount[k]);
    }
  }
  std::vector<std::pair<double, std::uint16_t>> order;
  for (const auto& [line, part] : parts) order.emplace_back(part, line);
  std::ranges::sort(order, std::greater<>());
  std::vector<std::uint16_t> lines;
  for (const auto& each : order) lines.push_back(each.second);
  if (lines.size() > kMost) lines.resize(kMost);
  return lines;
}
std::vector<double> amounts_of(const OperandValues& values, std::uint16_t line) {
  std::vector<double> amounts;
  amounts.reserve(values.size());
  for (const trail::Blame& blame : values.blame) {
    amounts.push_back(blame.line[0] == line   ? blame.amount[0]
                      : blame.line[1] == line ? blame.amount[1]
                                              : 0);
  }
  return amounts;
}

// Whether a product's shift counts: that of integers of 8 and 16 bits does not.
bool shifts_products(const Command& command) {
  return std::ranges::any_of(command.op->params(), [&](const Param& param) {
    return param.type == "data_type_t" && command.value(param.name, "bits") == 32;
  });
}

// What a sum is multiplied with.
std::optional<double> factor_of(const Command& command, const Meaning& meaning,
                                const Reduction& reduction) {
  const bool counts = meaning.kind != Meaning::Kind::kProducts || shifts_products(command);
  const double shifted = std::exp2((counts ? integer_of(command, ParamRole::kWordShift) : 0) -
                                   integer_of(command, ParamRole::kShiftRight));
  if (meaning.kind == Meaning::Kind::kProducts) return shifted;
  const auto param = param_with_role(*command.op, ParamRole::kFactor);
  if (!param) return shifted / static_cast<double>(reduction.length());
  const std::optional<double> scale = constant_of(command, *param);
  if (!scale) return std::nullopt;
  return *scale * shifted;
}

std::optional<RealResult> by_sum(const Command& command, const Meaning& meaning,
                                 const DeviceMemory& memory, const trail::ShadowMemory& shadows) {
  const Operand* const result = first_result(command);
  std::vector<OperandValues> factors, terms;
  std::vector<const Operand*> operands;
  for (const Operand& operand : command.operands()) {
    const bool added = operand.spec->added;
    if (&operand == result) {
      if (operand.reads()) terms.push_back(values_of(operand, memory, shadows));
    } else if (operand.role != Role::kIn) {
      continue;
    } else if (added) {
      terms.push_back(
          spread(values_of(operand, memory, shadows), spread_indices(operand, *result)));
    } else {
      factors.push_back(values_of(operand, memory, shadows));
      operands.push_back(&operand);
    }
  }
  const bool products = meaning.kind == Meaning::Kind::kProducts;
  // Padding that counts as something else than 0 is not in the extents.
  if (integer_of(command, ParamRole::kPadding) != 0 ||
      integer_of(command, ParamRole::kInserted) != 0)
    return std::nullopt;
  if (factors.empty() || factors.size() > (products ? 2U : 1U)) return std::nullopt;
  const Reduction reduction(command, operands, *result, meaning.rotated);
  std::optional<double> factor = factor_of(command, meaning, reduction);
  if (!factor) return std::nullopt;
  if (products && factors.size() == 1) {  // the other one is a constant
    const auto param = param_with_role(*command.op, ParamRole::kOtherFactor);
    if (!param) return std::nullopt;
    const std::optional<double> constant = constant_of(command, *param);
    if (!constant) return std::nullopt;
    *factor *= *constant;
  }
  const auto size = static_cast<std::size_t>(result->layout.size());
  const auto sum = [&](const std::vector<double>& first, const double* second) {
    std::vector<double> sums(size);
    reduction.sum(first.data(), second, sums.data());
    for (double& each : sums) each *= *factor;
    return sums;
  };
  const double old = std::exp2(integer_of(command, ParamRole::kOldShift));
  const auto total = [&](bool best) {
    const auto pick = [&](const OperandValues& values) -> const std::vector<double>& {
      return best ? values.best() : values.exact;
    };
    std::vector<double> sums =
        sum(pick(factors[0]), factors.size() < 2 ? nullptr : pick(factors[1]).data());
    for (const OperandValues& term : terms) {
      // A sum that is shifted is shifted with what was added to it.
      const double scale =
          (products ? std::exp2(-integer_of(command, ParamRole::kShiftRight)) : 1) *
          (term.operand == result ? old : 1);
      for (std::size_t i = 0; i < size; ++i) sums[i] += pick(term)[i] * scale;
    }
    const bool rectified = integer_of(command, ParamRole::kRectified) != 0;
    for (double& each : sums) {
      if (rectified) each = std::max(each, 0.0);
    }
    return sums;
  };
  RealResult made{.operand = result, .of_exact = total(false)};
  made.real = made.of_exact;
  const auto wrong = [](const OperandValues& values) { return values.has_error(); };
  if (std::ranges::none_of(factors, wrong) && std::ranges::none_of(terms, wrong)) return made;
  made.real = total(true);
  made.blame.resize(size);
  for (const std::vector<OperandValues>* part : {&factors, &terms}) {
    for (const OperandValues& each : *part)
      made.arrived = std::max(made.arrived, relative_error(each));
  }
  for (const OperandValues& term : terms) {
    if (!term.has_error()) continue;
    std::vector<double> part(size);
    for (std::size_t i = 0; i < size; ++i) part[i] = term.exact[i] - term.real[i];
    hand_on(term, part, made.blame);
  }
  // A sum is linear in each factor: what a line brings to the factor, it brings to the sum.
  for (std::size_t k = 0; k < factors.size(); ++k) {
    if (!factors[k].has_error()) continue;
    for (const std::uint16_t line : largest_lines(factors[k])) {
      const std::vector<double> amounts = amounts_of(factors[k], line);
      const std::vector<double> parts = factors.size() < 2 ? sum(amounts, nullptr)
                                        : k == 0           ? sum(amounts, factors[1].best().data())
                                                           : sum(factors[0].best(), amounts.data());
      for (std::size_t i = 0; i < size; ++i) made.blame[i].add(line, parts[i]);
    }
  }
  return made;
}

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

// Those of all elements; empty where there is none.
std::vector<trail::Shadow> shadows_of(const Operand& operand, const trail::ShadowMemory& shadows) {
  std::vector<trail::Shadow> all;
  const Dtype dtype = operand.layout.dtype();
  const Layout::Bounds bounds = operand.layout.loose_bounds(false);
  if (dtype_bits(dtype) < 8 || !shadows.any(operand.space, bounds.begin, bounds.end)) return all;
  each_element(operand.layout, [&](std::int64_t i, std::int64_t offset) {
    const trail::Shadow* const shadow = shadows.find(operand.space, offset, dtype);
    if (shadow == nullptr) return;
    all.resize(static_cast<std::size_t>(operand.layout.size()));
    all[static_cast<std::size_t>(i)] = *shadow;
  });
  return all;
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

std::vector<MovedResult> moved_results(const Command& command, const Meaning& meaning,
                                       const DeviceMemory& memory,
                                       const trail::ShadowMemory& shadows) {
  std::vector<std::vector<trail::Shadow>> held;
  bool any = false, partly = false;
  for (const Operand& operand : command.operands()) {
    const bool source = operand.role == Role::kIn && !operand.spec->decides;
    held.push_back(source ? shadows_of(operand, shadows) : std::vector<trail::Shadow>());
    any = any || !held.back().empty();
    partly = partly || operand.role == Role::kInOut;
  }
  std::vector<MovedResult> results;
  for (const Operand& operand : command.operands()) {
    if (operand.writes()) results.push_back({.operand = &operand});
  }
  if (meaning.kind == Meaning::Kind::kCopy) {
    if (!any || results.size() != 1) return results;
    for (std::size_t k = 0; k < held.size(); ++k) {
      if (held[k].empty()) continue;
      results[0].shadows =
          spread(held[k], spread_indices(command.operands()[k], *results[0].operand));
    }
    return results;
  }
  // Where all of a result is overwritten by what is right, nothing is to be found out.
  if (!any && !partly) return results;
  const std::vector<std::vector<trail::Origin>> origins = trail::origins_of(command, memory);
  for (std::size_t r = 0; r < results.size(); ++r) {
    const std::size_t size = origins[r].size();
    results[r].shadows.resize(size);
    results[r].kept.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const trail::Origin& origin = origins[r][i];
      results[r].kept[i] = origin.kept;
      if (origin.operand < 0) continue;
      const std::vector<trail::Shadow>& from = held[static_cast<std::size_t>(origin.operand)];
      if (!from.empty()) results[r].shadows[i] = from[static_cast<std::size_t>(origin.element)];
    }
  }
  return results;
}

}  // namespace tensorlane::precision
