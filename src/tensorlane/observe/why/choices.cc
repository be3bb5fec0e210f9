// What the calls of a launch pass.
#include <algorithm>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/observe/why/alternatives.h"

namespace tensorlane::why {

constexpr std::size_t kMostChoices = 12;  // of a kind

// Parameters that may hold each other's arguments.
std::string kind_of(const Op& op, std::size_t param) {
  const Param& at = op.params()[param];
  std::string kind(at.type);
  if (is_stride(op, at.name)) kind += " stride";
  return kind;
}

bool is_chosen(const ArgType& type, const Param& param) {
  return type.kind == ArgKind::kStruct || param.type == "data_type_t";
}

bool same_value(const Arg& a, const Arg& b) {
  return a.is_null == b.is_null && a.field == b.field;
}

bool is_stride(const Op& op, std::string_view param) {
  return std::ranges::any_of(op.operands(), [&](const Op::CompiledOperand& operand) {
    return operand.spec->stride == param || operand.spec->row_stride == param;
  });
}

std::optional<Command> legal(const Command& like, const Op& op, const std::vector<Arg>& args) {
  Command other;
  other.sequence = like.sequence;
  other.core = like.core;
  other.region = like.region;
  other.call_site = like.call_site;
  other.calls = like.calls;
  try {
    decode(op, args, *like.chip, like.region >= 0, other, {});
  } catch (const UserError&) {
    return std::nullopt;
  }
  return other;
}

Choices choices_of(const LaunchCommands& launch) {
  Choices choices;
  for (const Issued& issued : launch.commands) {
    const Op& op = *issued.command.op;
    for (std::size_t param = 0; param < op.params().size(); ++param) {
      if (!is_chosen(*op.types()[param], op.params()[param])) continue;
      std::vector<Arg>& all = choices.of_kind[kind_of(op, param)];
      const Arg& arg = issued.command.args()[param];
      if (all.size() < kMostChoices &&
          std::ranges::none_of(all, [&](const Arg& other) { return same_value(other, arg); }))
        all.push_back(arg);
    }
  }
  const std::int64_t global =
      launch.commands.empty()
          ? 0
          : static_cast<std::int64_t>(
                launch.commands.front().command.chip->region(Space::kGlobal).begin);
  for (const TouchedAllocation& each : launch.allocations)
    choices.allocations.push_back(global + each.allocation->bytes.begin);
  std::ranges::sort(choices.allocations);
  return choices;
}

}  // namespace tensorlane::why
