// What of a call could have been another.
#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/why/replay.h"
#include "tensorlane/ops/call_text.h"

namespace tensorlane::why {
namespace {

class Alternatives {
 public:
  Alternatives(const Command& command, const std::vector<Arg>& types)
      : command_(command), types_(types) {}

  std::vector<Alternative> all() {
    swap_sources();
    for (std::size_t param = 0; param < command_.args().size(); ++param) {
      const Param& at = command_.op->params()[param];
      const ArgType& type = *command_.op->types()[param];
      if (at.type == "bool") {
        set(param, 0, 1 - command_.args()[param].value());
      } else if (at.type == "rounding_mode_t") {
        for (std::int64_t mode = 0; mode < 7; ++mode) set(param, 0, mode);
      } else if (at.type == "data_type_t") {
        other_types(param);
      } else if (type.kind == ArgKind::kStruct && !command_.args()[param].is_null) {
        turned(param, type);
      } else if (at.name == "pad_val") {
        for (const std::int64_t bits : {0xff7fffffLL, 0xfbffLL, 0LL, 0x80LL}) set(param, 0, bits);
      } else if (type.kind == ArgKind::kLocalAddress || type.kind == ArgKind::kSystemAddress) {
        beside(param, at.name);
      }
    }
    return std::move(found_);
  }

 private:
  std::vector<Arg> args() const { return {command_.args().begin(), command_.args().end()}; }

  void add(const std::vector<Arg>& args, std::string text) {
    if (std::ranges::equal(args, command_.args())) return;
    Command other;
    try {
      decode(*command_.op, args, *command_.chip, command_.region >= 0, other, {});
    } catch (const UserError&) {
      return;  // not a legal one
    }
    found_.emplace_back(std::move(other), std::move(text));
  }
  void add_in_place(const std::vector<Arg>& other, std::size_t param) {
    add(other, tr("{} = {} in place of {}", command_.op->params()[param].name,
                  argument_text(*command_.op, other, param),
                  argument_text(*command_.op, command_.args(), param)));
  }
  void set(std::size_t param, std::size_t field, std::int64_t value) {
    std::vector<Arg> other = args();
    other[param].field[field] = value;
    add_in_place(other, param);
  }

  // Another type as wide.
  void other_types(std::size_t param) {
    const Dtype held = command_.args()[param].dtype();
    for (const Arg& type : types_) {
      if (type.dtype() == held || dtype_bits(type.dtype()) != dtype_bits(held)) continue;
      std::vector<Arg> other = args();
      other[param] = type;
      add_in_place(other, param);
    }
  }

  // Rows for columns.
  void turned(std::size_t param, const ArgType& type) {
    std::vector<Arg> other = args();
    auto& field = other[param].field;
    if (type.fields[0] == "h") {
      std::swap(field[0], field[1]);
    } else if (type.fields[0] == "top") {
      std::swap(field[0], field[2]);
      std::swap(field[1], field[3]);
    } else {
      std::swap(field[2], field[3]);
    }
    add_in_place(other, param);
    if (type.fields[0] != "n") return;
    for (const Op::CompiledOperand& operand : command_.op->operands()) {
      if (operand.stride_param != static_cast<int>(param)) continue;
      std::vector<Arg> plain = args();
      plain[param] = {};
      plain[param].is_null = true;
      plain[param].has_value = false;
      add_in_place(plain, param);
    }
  }

  // Sources one element further and before.
  void beside(std::size_t param, std::string_view name) {
    const Operand* const operand = command_.find(name);
    if (operand == nullptr || operand->writes() || operand->layout.unit_bits() != 8) return;
    const std::int64_t bytes = operand->layout.element_units();
    for (const std::int64_t step : {bytes, -bytes})
      set(param, 0, command_.args()[param].value() + step);
  }

  // Two sources of one kind, with their strides and types.
  void swap_sources() {
    const std::span<const Op::CompiledOperand> operands = command_.op->operands();
    for (std::size_t a = 0; a < operands.size(); ++a) {
      for (std::size_t b = a + 1; b < operands.size(); ++b) {
        if (operands[a].spec->role != Role::kIn || operands[b].spec->role != Role::kIn ||
            operands[a].spec->memory != operands[b].spec->memory)
          continue;
        std::vector<Arg> other = args();
        const auto swap = [&](int x, int y) {
          if (x >= 0 && y >= 0)
            std::swap(other[static_cast<std::size_t>(x)], other[static_cast<std::size_t>(y)]);
        };
        swap(operands[a].param, operands[b].param);
        swap(operands[a].stride_param, operands[b].stride_param);
        if (operands[a].dtype_param != operands[b].dtype_param)
          swap(operands[a].dtype_param, operands[b].dtype_param);
        add(other, tr("{} and {} swapped", operands[a].spec->param, operands[b].spec->param));
      }
    }
  }

  const Command& command_;
  const std::vector<Arg>& types_;
  std::vector<Alternative> found_;
};

}  // namespace

std::vector<Alternative> alternatives_of(const Command& command, const std::vector<Arg>& types) {
  return Alternatives(command, types).all();
}

}  // namespace tensorlane::why
