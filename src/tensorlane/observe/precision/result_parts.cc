#include "tensorlane/observe/precision/result_parts.h"

#include <algorithm>
#include <cmath>

#include "tensorlane/inspect/value.h"
#include "tensorlane/ops/constants.h"

namespace tensorlane::precision {
namespace {

// The offset of a quantisation is a field of 16 bits, with the sign of its type.
Dtype as_offset(Dtype dtype) {
  return dtype_info(dtype).is_signed ? Dtype::kInt16 : Dtype::kUint16;
}

}  // namespace

double integer_of(const Command& command, ParamRole role) {
  const auto param = param_with_role(*command.op, role);
  return param ? static_cast<double>(command.args()[*param].value()) : 0;
}

const Operand* first_result(const Command& command) {
  const auto found =
      std::ranges::find_if(command.operands(), [](const Operand& each) { return each.writes(); });
  return found == command.operands().end() ? nullptr : &*found;
}

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

void hand_on(const OperandValues& source, std::span<const double> part, Blames& blame) {
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

}  // namespace tensorlane::precision
