#include "tensorlane/ops/op.h"

#include "tensorlane/base/error.h"

namespace tensorlane {

std::string_view engine_name(Engine engine) {
  switch (engine) {
    case Engine::kNone:
      return "none";
    case Engine::kGdma:
      return "GDMA";
    case Engine::kBdc:
      return "BDC";
  }
  return "?";
}

std::string_view numerics_name(Numerics numerics) {
  switch (numerics) {
    case Numerics::kExactToModel:
      return "exact to the model";
    case Numerics::kExactToDocument:
      return "exact to the document";
    case Numerics::kNoData:
      return "no data";
  }
  return "?";
}

Op::Op(std::string_view name, std::string_view returns, std::span<const Param> params,
       const OpSpec& spec, std::span<const std::pair<std::string_view, std::int64_t>> constants)
    : name_(name), returns_(returns), params_(params), spec_(&spec) {
  const Scope scope{params, spec.lets, constants};
  const auto optional = [&](std::string_view text) {
    return text.empty() ? Expression() : Expression(text, scope);
  };
  for (std::string_view text : spec.limits) limits_.emplace_back(text, scope);
  for (std::string_view text : spec.preferred) preferred_.emplace_back(text, scope);
  for (const OperandSpec& operand : spec.operands) {
    CompiledOperand compiled{
        .spec = &operand,
        .param = param(operand.param),
        .stride_param = operand.stride.empty() ? -1 : param(operand.stride),
        .address = Expression(operand.address.empty() ? operand.param : operand.address, scope),
        .shape = {},
        .used_if = optional(operand.used_if),
        .inout_if = optional(operand.inout_if),
        .cols_per_channel = optional(operand.cols_per_channel),
        .row_stride = optional(operand.row_stride)};
    for (std::string_view text : operand.shape) compiled.shape.emplace_back(text, scope);
    operands_.push_back(std::move(compiled));
  }
}

int Op::param(std::string_view name) const {
  for (std::size_t k = 0; k < params_.size(); ++k) {
    if (params_[k].name == name) return static_cast<int>(k);
  }
  internal_error_at(__FILE__, __LINE__, fmt::format("{} has no parameter '{}'", name_, name));
}

const OpFile::Entry* OpFile::add(std::string_view name, std::string_view returns,
                                 std::span<const Param> params, const OpSpec* spec) {
  entries_.push_back(new Entry(name, returns, params, spec));  // lives as long as the program
  return entries_.back();
}

}  // namespace tensorlane
