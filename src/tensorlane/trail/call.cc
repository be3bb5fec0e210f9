#include "tensorlane/trail/call.h"

#include <fmt/format.h>

#include "tensorlane/base/language.h"
#include "tensorlane/ops/operand_names.h"

namespace tensorlane::trail {

Call call_of(const Command& command, int operand) {
  return {command.op, command.call_site,
          note_of(command.operands()[static_cast<std::size_t>(operand)], command), command.calls};
}

std::string name_of(const Command& command) {
  return std::string(command.op->name());
}

OperandNote note_of(const Operand& operand, const Command& command) {
  const OperandSpec& spec = *operand.spec;
  const auto number = static_cast<std::size_t>(&spec - command.op->spec().operands.data());
  const int stride_param = command.op->operands()[number].stride_param;
  const Layout& layout = operand.layout;
  OperandNote note{.spec = &spec,
                   .chip = command.chip,
                   .role = operand.role,
                   .space = operand.space,
                   .dtype = layout.dtype(),
                   .layout = spec.layout_rule ? spec.layout_rule(command) : spec.layout,
                   .rank = layout.rank(),
                   .address = operand.address,
                   .first_byte = layout.address(Layout::Index{})};
  for (int d = 0; d < layout.rank(); ++d)
    note.extents[static_cast<std::size_t>(d)] = layout.extent(d);
  if (stride_param >= 0) {
    const Arg& given = command.args()[static_cast<std::size_t>(stride_param)];
    note.strided = !given.is_null;
    if (note.strided) note.stride = given.stride();
  }
  return note;
}

std::string OperandNote::layout_text() const {
  if (strided)
    return fmt::format("{} = ({}, {}, {}, {})", spec->stride, stride.n, stride.c, stride.h,
                       stride.w);
  if (spec->storage != Storage::kPlain)
    return std::string(storage_name(spec->storage, dtype_bits(dtype)));
  return std::string(translated(layout_name(layout)));
}

std::string OperandNote::text() const {
  if (spec == nullptr) return {};
  std::string shape;
  for (int d = 0; d < rank; ++d)
    shape += fmt::format("{}{}", d == 0 ? "" : "x", extents[static_cast<std::size_t>(d)]);
  const std::int64_t npu_bytes = chip->local.npu_bytes;
  const std::string place =
      space == Space::kLocal
          ? tr("local memory, NPU {} offset {:#x}", first_byte / npu_bytes, first_byte % npu_bytes)
          : fmt::format("{} {:#x}", translated(space_name(space)), address);
  return tr("{}: {}, shape {} {}, {}, {}", spec->param, translated(role_text(role)), shape,
            dtype_name(dtype), layout_text(), place);
}

std::string layout_text(const Operand& operand, const Command& command) {
  return note_of(operand, command).layout_text();
}

std::string describe_operand(const Operand& operand, const Command& command) {
  return note_of(operand, command).text();
}

}  // namespace tensorlane::trail
