#include "tensorlane/trail/in_place_test_support.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tensorlane/device/session.h"
#include "tensorlane/trail/dependence.h"

namespace tensorlane::trail {
namespace {

using ElementBits = std::vector<std::uint32_t>;

const OperandSpec& result_of(const Op& op) {
  const auto& operands = op.spec().operands;
  return *std::ranges::find_if(operands, [](const OperandSpec& operand) {
    return operand.role == Role::kOut || operand.role == Role::kInOut;
  });
}

bool decided_by_call(const OperandSpec& operand) {
  return !operand.dtype_param.empty() || operand.dtype_rule;
}

// Whether a result may lie exactly on a source: the same shape and storage, elements of one width.
bool may_lie_on(const Op& op, const OperandSpec& source) {
  const OperandSpec& result = result_of(op);
  if (source.role != Role::kIn || source.memory != MemoryKind::kLocal ||
      shape_class(op, source) != shape_class(op, result) || source.layout != result.layout)
    return false;
  return decided_by_call(source) || decided_by_call(result) ||
         dtype_bits(source.dtype) == dtype_bits(result.dtype);
}

template <class Visit>
void each_address(const Operand& operand, DeviceMemory& memory, Visit visit) {
  const Layout& layout = operand.layout;
  Layout::Index index{};
  const std::int64_t count = layout.size();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    for (int dim = layout.rank() - 1; dim >= 0; --dim) {
      index[static_cast<std::size_t>(dim)] = rest % layout.extent(dim);
      rest /= layout.extent(dim);
    }
    visit(memory.base(operand.space) +
          layout.address({index.data(), static_cast<std::size_t>(layout.rank())}));
  }
}

ElementBits read(const Operand& operand, DeviceMemory& memory) {
  ElementBits elements;
  const auto width = static_cast<std::size_t>(dtype_bytes(operand.layout.dtype()));
  each_address(operand, memory,
               [&](const std::byte* at) { std::memcpy(&elements.emplace_back(), at, width); });
  return elements;
}
void write(const Operand& operand, DeviceMemory& memory, const ElementBits& elements) {
  const auto width = static_cast<std::size_t>(dtype_bytes(operand.layout.dtype()));
  auto element = elements.begin();
  each_address(operand, memory, [&](std::byte* at) { std::memcpy(at, &*element++, width); });
}

const Operand& operand_of(const Command& command, const OperandSpec& spec) {
  return *std::ranges::find(command.operands(), &spec, &Operand::spec);
}

bool differs(const Command& command, const OperandSpec& source) {
  const auto compiled =
      std::ranges::find(command.op->operands(), &source, &Op::CompiledOperand::spec);
  return compiled->other_if.empty() ||
         compiled->other_if.evaluate({command.args(), command.chip, false}).value_or(0) != 0;
}

}  // namespace

std::string missing_in_place_rule(const Op& op) {
  for (const OperandSpec& operand : op.spec().operands) {
    const bool said = operand.in_place != InPlace::kUnsaid;
    if (said && !may_lie_on(op, operand)) return fmt::format("{}: too much", operand.param);
    if (!said && element_wise(op) && may_lie_on(op, operand))
      return fmt::format("{}: nothing is said", operand.param);
  }
  return {};
}

std::optional<std::vector<Arg>> on_source(const Op& op, std::vector<Arg> args,
                                          const Command& command, const OperandSpec& source) {
  const OperandSpec& result = result_of(op);
  const Operand &to = operand_of(command, result), &from = operand_of(command, source);
  if (!source.address.empty() || dtype_bits(to.layout.dtype()) != dtype_bits(from.layout.dtype()))
    return {};
  const auto arg = [&](std::string_view param) -> Arg& {
    return args[static_cast<std::size_t>(op.param(param))];
  };
  arg(result.param) = arg(source.param);
  if (result.stride.empty() != source.stride.empty()) {
    if (!to.layout.injective() || !from.layout.injective()) return {};
    if (!source.stride.empty()) arg(source.stride).pointer = nullptr;
    if (!result.stride.empty()) arg(result.stride).pointer = nullptr;
  } else if (!result.stride.empty()) {
    arg(result.stride) = arg(source.stride);
  }
  return args;
}

InPlaceOutcome in_place_outcome(const Command& apart, const Command& in_place,
                                const OperandSpec& source, DeviceMemory& memory,
                                const std::function<void()>& fill) {
  const OperandSpec& result = result_of(*apart.op);
  fill();
  // Sources as they are where the result overwrites one.
  std::vector<ElementBits> sources;
  for (const Operand& operand : in_place.operands()) sources.push_back(read(operand, memory));
  const auto restore = [&] {
    for (std::size_t k = sources.size(); k-- > 0;)
      if (in_place.operands()[k].spec != &result) write(in_place.operands()[k], memory, sources[k]);
  };
  const auto run = [&](const Command& command, ImplementationChoice choice) {
    restore();
    const Operand& to = operand_of(command, result);
    if (to.role == Role::kInOut) write(to, memory, read(operand_of(in_place, source), memory));
    execute({command, memory.bases()}, choice);
    return read(to, memory);
  };
  const ElementBits elsewhere = run(apart, ImplementationChoice::kReference);
  const ElementBits reference = run(in_place, ImplementationChoice::kReference);
  const ElementBits fastest = run(in_place, ImplementationChoice::kFastest);
  InPlaceOutcome outcome{.violation = {}, .other = reference != elsewhere};
  if (reference != fastest) outcome.violation = "the fastest implementation gives other bits";
  const bool may_be_other = source.in_place == InPlace::kOther && differs(in_place, source);
  if (outcome.other && !may_be_other) outcome.violation = "other bits than elsewhere";
  return outcome;
}

}  // namespace tensorlane::trail
