#include "lsp/call_layouts.h"

#include <optional>

#include "tensorlane/base/error.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::lsp {
namespace {

const Op::CompiledOperand& compiled(const Command& command, const Operand& operand) {
  for (const Op::CompiledOperand& each : command.op->operands()) {
    if (each.spec == operand.spec) return each;
  }
  TL_INTERNAL_CHECK(false);
  __builtin_unreachable();
}

// The first element and the last one of every axis lie where they do in the other layout.
bool alike(const Layout& a, const Layout& b) {
  if (a.rank() != b.rank() || a.dtype() != b.dtype()) return false;
  std::vector<std::int64_t> index(static_cast<std::size_t>(a.rank()), 0);
  for (int d = -1; d < a.rank(); ++d) {
    if (d >= 0) {
      if (a.extent(d) != b.extent(d)) return false;
      for (std::int64_t at = 0; at < a.extent(d); ++at) {
        index[static_cast<std::size_t>(d)] = at;
        const LocalAddress mine = a.local_address(index), theirs = b.local_address(index);
        if (mine.npu != theirs.npu || mine.offset != theirs.offset) return false;
      }
    } else if (a.size() == 0) {
      return false;
    }
  }
  return true;
}

std::optional<NamedLayout> named(const Command& command, const Operand& operand, System system) {
  const Op::CompiledOperand& shape = compiled(command, operand);
  const OperandSpec& spec = *operand.spec;
  const Environment environment{command.args(), command.chip, command.region >= 0};
  const LocalMemory& memory = command.chip->local;
  LayoutSpec wanted{.system = system, .dtype = operand.layout.dtype(), .memory = memory};
  for (int d = 0; d < operand.layout.rank(); ++d) wanted.shape.push_back(operand.layout.extent(d));
  const LocalAddress start =
      split_local_address(memory, static_cast<std::int64_t>(operand.address));
  wanted.start_npu = start.npu;
  wanted.offset = start.offset;
  const DefaultLayout usual = spec.layout_rule ? spec.layout_rule(command) : spec.layout;
  const Arg* const stride = shape.stride_param < 0
                                ? nullptr
                                : &command.args()[static_cast<std::size_t>(shape.stride_param)];
  if (spec.storage != Storage::kPlain) {
    wanted.layout = storage_name(spec.storage, dtype_bits(wanted.dtype));
  } else if (stride != nullptr && !stride->is_null) {
    const Stride4 given = stride->stride();
    wanted.layout = layout_names::kFree;
    wanted.strides = {given.n, given.c, given.h, given.w};
  } else {
    wanted.layout = layout_name(usual);
    if (usual == DefaultLayout::kMatrix)
      wanted.cols_per_channel = shape.cols_per_channel.evaluate(environment);
  }
  try {
    NamedLayout tensor = make_layout(wanted);
    if (tensor.is_local() && alike(tensor.layout, operand.layout)) return tensor;
  } catch (const UserError&) {
    // No layout of the documents: "rows", or strides that they do not have.
  }
  return std::nullopt;
}

}  // namespace

std::vector<DrawnOperand> local_tensors(const Command& command, System system) {
  std::vector<DrawnOperand> tensors;
  for (const Operand& operand : command.operands()) {
    if (operand.space != Space::kLocal) continue;
    if (std::optional<NamedLayout> tensor = named(command, operand, system))
      tensors.push_back({std::string(operand.name()), std::move(*tensor)});
  }
  return tensors;
}

}  // namespace tensorlane::lsp
