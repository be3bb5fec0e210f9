// Sums of products and means.
#include <algorithm>
#include <cmath>
#include <functional>

#include "tensorlane/observe/precision/reduction.h"
#include "tensorlane/observe/precision/result_parts.h"

namespace tensorlane::precision {
namespace {

// The lines with the largest part in the errors of a tensor.
std::vector<std::uint16_t> largest_lines(const OperandValues& values) {
  constexpr std::size_t kMost = 4;
  std::vector<std::pair<double, std::uint16_t>> parts;  // few lines: neighbours have the same ones
  std::size_t latest = 0;
  for (const trail::Blame& blame : values.blame) {
    for (std::size_t k = 0; k < blame.line.size(); ++k) {
      const std::uint16_t line = blame.line[k];
      if (line == trail::Blame::kNobody) continue;
      if (latest >= parts.size() || parts[latest].second != line) {
        const auto found =
            std::ranges::find(parts, line, [](const auto& each) { return each.second; });
        latest = static_cast<std::size_t>(found - parts.begin());
        if (found == parts.end()) parts.emplace_back(0, line);
      }
      parts[latest].first += std::abs(blame.amount[k]);
    }
  }
  std::ranges::sort(parts, std::greater<>());
  std::vector<std::uint16_t> lines;
  for (const auto& each : parts) lines.push_back(each.second);
  if (lines.size() > kMost) lines.resize(kMost);
  return lines;
}

Numbers amounts_of(const OperandValues& values, std::uint16_t line) {
  Numbers amounts(values.size());
  std::ranges::transform(values.blame, amounts.begin(), [=](const trail::Blame& blame) {
    return blame.line[0] == line ? blame.amount[0] : blame.line[1] == line ? blame.amount[1] : 0;
  });
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

}  // namespace

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
  const auto sum = [&](const Numbers& first, const double* second) {
    Numbers sums(size, 0.0);
    reduction.sum(first.data(), second, sums.data());
    for (double& each : sums) each *= *factor;
    return sums;
  };
  const double old = std::exp2(integer_of(command, ParamRole::kOldShift));
  const auto total = [&](bool best) {
    const auto pick = [&](const OperandValues& values) -> const Numbers& {
      return best ? values.best() : values.exact;
    };
    Numbers sums = sum(pick(factors[0]), factors.size() < 2 ? nullptr : pick(factors[1]).data());
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
    Numbers part(size);
    for (std::size_t i = 0; i < size; ++i) part[i] = term.exact[i] - term.real[i];
    hand_on(term, part, made.blame);
  }
  // A sum is linear in each factor: what a line brings to the factor, it brings to the sum.
  for (std::size_t k = 0; k < factors.size(); ++k) {
    if (!factors[k].has_error()) continue;
    for (const std::uint16_t line : largest_lines(factors[k])) {
      const Numbers amounts = amounts_of(factors[k], line);
      const Numbers parts = factors.size() < 2 ? sum(amounts, nullptr)
                            : k == 0           ? sum(amounts, factors[1].best().data())
                                               : sum(factors[0].best(), amounts.data());
      for (std::size_t i = 0; i < size; ++i) made.blame[i].add(line, parts[i]);
    }
  }
  return made;
}

}  // namespace tensorlane::precision
