// Constants that hardly can be meant, and choices unlike all others of the launch.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>

#include "tensorlane/base/language.h"
#include "tensorlane/inspect/value.h"
#include "tensorlane/observe/precision/meaning.h"
#include "tensorlane/observe/why/constants.h"
#include "tensorlane/observe/why/suspects.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/ops/constants.h"
#include "tensorlane/ops/param_roles.h"
#include "tensorlane/trail/constant_bits.h"

namespace tensorlane::why {
namespace {

// What the elements of a mean are multiplied by, against how many there are.
void find_scale(const LaunchCommands& launch, std::size_t number, Suspects& found) {
  const Command& command = launch.commands[number].command;
  const Operand& result = command.operands().front();
  if (result.spec->combination != Combination::kMean) return;
  const auto param = param_with_role(*command.op, ParamRole::kFactor);
  if (!param || command.op->types()[*param]->kind != ArgKind::kUnion) return;
  const auto scale = constant_of(command, *param);
  if (!scale || *scale == 1 || *scale == 0) return;
  std::int64_t elements = 1;
  for (const Op::CompiledWindow& window : command.op->windows())
    elements *=
        window.kernel.evaluate({command.args(), command.chip, command.region >= 0}).value_or(1);
  const double expected = 1.0 / static_cast<double>(elements);
  if (std::fabs(*scale / expected - 1) < 0.01) return;
  found.push_back({"scale", 70, number,
                   tr("scale is {:g}, and 1 / {} for the mean of its {} elements", *scale, elements,
                      elements)});
}

void find_bits(const LaunchCommands& launch, std::size_t number, Suspects& found) {
  const Command& command = launch.commands[number].command;
  if (precision::meaning_of(*command.op).kind == precision::Meaning::Kind::kUnknown) return;
  for (std::size_t param = 0; param < command.args().size(); ++param) {
    const Arg& arg = command.args()[param];
    const ArgKind kind = command.op->types()[param]->kind;
    std::optional<Dtype> dtype;
    std::int64_t bits = 0;
    if (constant_use(*command.op, param) == ConstantUse::kBits) continue;
    if (kind == ArgKind::kUnion) {
      dtype = constant_type(*command.op, command.args(), param);
      bits = arg.value();
    } else if (kind == ArgKind::kFloat) {
      dtype = Dtype::kFp32;
      bits = arg.value();
    }
    if (!dtype) continue;
    const std::string other = trail::other_meaning(static_cast<std::uint32_t>(bits), *dtype);
    if (!other.empty())
      found.push_back(
          {"bits", 94, number, tr("{} is {}", command.op->params()[param].name, other)});
  }
}

// A rounding mode that one command has alone, of three and more that agree.
void find_rounding(const LaunchCommands& launch, Suspects& found) {
  std::map<std::int64_t, std::set<std::size_t>> lines;  // by mode
  std::map<std::int64_t, std::pair<std::size_t, std::size_t>> first;
  for (std::size_t k = 0; k < launch.commands.size(); ++k) {
    const Command& command = launch.commands[k].command;
    for (std::size_t param = 0; param < command.args().size(); ++param) {
      if (command.op->params()[param].type != "rounding_mode_t") continue;
      const std::int64_t mode = command.args()[param].value();
      lines[mode].insert(launch.commands[k].line);
      first.try_emplace(mode, k, param);
    }
  }
  if (lines.size() != 2) return;
  const auto rare = lines.begin()->second.size() < lines.rbegin()->second.size()
                        ? lines.begin()
                        : std::prev(lines.end());
  const auto usual = rare == lines.begin() ? std::prev(lines.end()) : lines.begin();
  if (rare->second.size() != 1 || usual->second.size() < 2) return;
  const auto text = [&](std::int64_t mode) {
    const auto [number, param] = first.at(mode);
    const Command& command = launch.commands[number].command;
    return argument_text(*command.op, command.args(), param);
  };
  found.push_back({"rounding", 49, first.at(rare->first).first,
                   tr("rounds by {}, the {} other lines that round by {}", text(rare->first),
                      usual->second.size(), text(usual->first))});
}

}  // namespace

std::optional<double> constant_of(const Command& command, std::size_t param) {
  const Arg& arg = command.args()[param];
  switch (command.op->types()[param]->kind) {
    case ArgKind::kFloat:
      return std::bit_cast<float>(static_cast<std::uint32_t>(arg.value()));
    case ArgKind::kInteger:
      return static_cast<double>(arg.value());
    case ArgKind::kValueOrAddress:
      if (arg.is_address()) return std::nullopt;
      break;
    case ArgKind::kUnion:
      break;
    default:
      return std::nullopt;
  }
  const auto bits = static_cast<std::uint32_t>(
      command.op->types()[param]->kind == ArgKind::kUnion ? arg.value() : arg.constant());
  const auto dtype = constant_type(*command.op, command.args(), param);
  return inspect::value_of(bits, dtype.value_or(Dtype::kFp32));
}

void find_constants(const LaunchCommands& launch, Suspects& found) {
  for (const Line& line : launch.lines) {
    find_scale(launch, line.issued.front(), found);
    find_bits(launch, line.issued.front(), found);
  }
  find_rounding(launch, found);
}

}  // namespace tensorlane::why
