#include "tensorlane/ops/constants.h"

#include <algorithm>

namespace tensorlane {
namespace {

const ConstantSpec* constant_of(const Op& op, std::size_t param) {
  const std::vector<ConstantSpec>& all = op.spec().constants;
  const auto found = std::ranges::find(all, op.params()[param].name, &ConstantSpec::param);
  return found == all.end() ? nullptr : &*found;
}

std::optional<Dtype> type_at(std::span<const Arg> args, int param) {
  const Arg& arg = args[static_cast<std::size_t>(param)];
  if (arg.field[kDtypeField] < 0) return std::nullopt;
  return arg.dtype();
}

std::optional<Dtype> type_of(const Op::CompiledOperand& operand, std::span<const Arg> args) {
  if (operand.dtype_param >= 0) return type_at(args, operand.dtype_param);
  if (operand.spec->dtype_rule) return std::nullopt;
  return operand.spec->dtype;
}

}  // namespace

ConstantUse constant_use(const Op& op, std::size_t param) {
  const ConstantSpec* const constant = constant_of(op, param);
  return constant == nullptr ? ConstantUse::kNumber : constant->use;
}

std::optional<Dtype> constant_type(const Op& op, std::span<const Arg> args, std::size_t param) {
  const ConstantSpec* const constant = constant_of(op, param);
  if (constant != nullptr && !constant->dtype_param.empty())
    return type_at(args, op.param(constant->dtype_param));
  const auto operands = op.operands();
  if (operands.empty()) return std::nullopt;
  if (constant != nullptr && constant->use == ConstantUse::kChosen)
    return type_of(operands[0], args);
  for (const Op::CompiledOperand& operand : operands) {
    if (operand.param == static_cast<int>(param)) return type_of(operand, args);
  }
  for (const Op::CompiledOperand& operand : operands.subspan(1)) {
    const Role role = operand.spec->role;
    if (role == Role::kIn || role == Role::kInOut) return type_of(operand, args);
  }
  return type_of(operands[0], args);
}

}  // namespace tensorlane
