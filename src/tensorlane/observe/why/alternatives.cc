#include "tensorlane/observe/why/alternatives.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/observe/precision/meaning.h"
#include "tensorlane/ops/call_text.h"
#include "tensorlane/ops/op_lists.h"
#include "tensorlane/ops/param_roles.h"

namespace tensorlane::why {
namespace {

constexpr std::uint32_t kOne = std::bit_cast<std::uint32_t>(1.0F);

// Numbers are hardly meant where bits are.
bool is_of_numbers(const Op& op) {
  return precision::meaning_of(op).kind != precision::Meaning::Kind::kUnknown;
}

class Alternatives {
 public:
  Alternatives(const Command& command, const Choices& choices)
      : command_(command), op_(*command.op), choices_(choices) {}

  std::vector<Alternative> all() {
    swap_sources();
    other_functions();
    for (std::size_t param = 0; param < command_.args().size(); ++param) {
      const Param& at = op_.params()[param];
      const ArgType& type = *op_.types()[param];
      if (at.type == "bool") {
        set(param, 0, 1 - command_.args()[param].value(), true);
      } else if (at.type == "rounding_mode_t") {
        for (std::int64_t mode = 0; mode < 7; ++mode) set(param, 0, mode, false);
      } else if (type.kind == ArgKind::kStruct && !command_.args()[param].is_null) {
        turned(param, type);
      } else if (param_with_role(op_, ParamRole::kPadding) == param) {
        for (const std::int64_t bits : {0xff7fffffLL, 0xfbffLL, 0LL, 0x80LL})
          set(param, 0, bits, false);
      } else if (type.kind == ArgKind::kLocalAddress || type.kind == ArgKind::kSystemAddress) {
        beside(param, at.name);
        if (type.kind == ArgKind::kSystemAddress) other_allocation(param, at.name);
      }
      if (is_chosen(type, at)) of_other_calls(param);
    }
    return std::move(found_);
  }

 private:
  std::vector<Arg> args() const { return {command_.args().begin(), command_.args().end()}; }

  void add(const Op& op, const std::vector<Arg>& args, std::string text, std::string key,
           bool simple) {
    if (&op == &op_ && std::ranges::equal(args, command_.args())) return;
    if (std::ranges::any_of(found_, [&](const Alternative& each) {
          return each.command.op == &op && std::ranges::equal(args, each.command.args());
        }))
      return;
    if (auto other = legal(command_, op, args))
      found_.push_back({std::move(*other), std::move(text), std::move(key), simple});
  }
  void add_in_place(const std::vector<Arg>& other, std::size_t param, std::string key,
                    bool simple) {
    add(op_, other,
        tr("{} = {} in place of {}", op_.params()[param].name, argument_text(op_, other, param),
           argument_text(op_, command_.args(), param)),
        fmt::format("{} {}", op_.params()[param].name, key), simple);
  }
  void set(std::size_t param, std::size_t field, std::int64_t value, bool simple) {
    std::vector<Arg> other = args();
    other[param].field[field] = value;
    add_in_place(other, param, fmt::format("{}={}", field, simple ? 0 : value), simple);
  }

  // Functions whose parameters are of the same types; trailing flags are off. A constant that has
  // another name stands for something else, and is 1.
  void other_functions() {
    const OpList* const list = list_of(op_);
    if (list == nullptr) return;
    for (const Op* const other : list->all()) {
      if (other == &op_ || other->engine() != op_.engine() ||
          other->spec().absence != Absence::kNone || is_of_numbers(op_) != is_of_numbers(*other))
        continue;
      std::vector<Arg> args = this->args();
      if (!fits(*other, args)) continue;
      add(*other, args, std::string(other->name()), fmt::format("function {}", other->name()),
          true);
    }
  }
  bool fits(const Op& other, std::vector<Arg>& args) const {
    const std::span<const Param> mine = op_.params(), its = other.params();
    const std::size_t common = std::min(mine.size(), its.size());
    if (common < 3) return false;
    for (std::size_t k = 0; k < std::max(mine.size(), its.size()); ++k) {
      if (k >= common) {
        if ((k < mine.size() ? mine[k] : its[k]).type != "bool") return false;
        continue;
      }
      if (mine[k].type != its[k].type) return false;
      const ArgKind kind = op_.types()[k]->kind;
      const bool address = kind == ArgKind::kLocalAddress || kind == ArgKind::kSystemAddress;
      if (mine[k].name == its[k].name) continue;
      // Work memory is no source, nor the other way round.
      if (address) return false;
      if (kind == ArgKind::kUnion) args[k].field[0] = kOne;
    }
    args.resize(its.size());
    return true;
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
    add_in_place(other, param, "turned", true);
    if (type.fields[0] != "n" || !is_stride(op_, op_.params()[param].name)) return;
    std::vector<Arg> plain = args();
    plain[param] = {};
    plain[param].is_null = true;
    plain[param].has_value = false;
    add_in_place(plain, param, "plain", true);
  }

  void of_other_calls(std::size_t param) {
    const auto choices = choices_.of_kind.find(kind_of(op_, param));
    if (choices == choices_.of_kind.end()) return;
    const bool dtype = op_.params()[param].type == "data_type_t";
    for (std::size_t k = 0; k < choices->second.size(); ++k) {
      const Arg& choice = choices->second[k];
      if (same_value(choice, command_.args()[param])) continue;
      if (dtype && dtype_bits(choice.dtype()) != dtype_bits(command_.args()[param].dtype()))
        continue;
      std::vector<Arg> other = args();
      other[param] = choice;
      add_in_place(other, param, fmt::format("choice {}", k), false);
    }
  }

  // Sources one element further and before.
  void beside(std::size_t param, std::string_view name) {
    const Operand* const operand = command_.find(name);
    if (operand == nullptr || operand->writes() || operand->layout.unit_bits() != 8) return;
    const std::int64_t bytes = operand->layout.element_units();
    for (const std::int64_t step : {bytes, -bytes}) {
      std::vector<Arg> other = args();
      other[param].field[0] += step;
      add_in_place(other, param, step > 0 ? "after" : "before", false);
    }
  }

  // The same place of another buffer of the host.
  void other_allocation(std::size_t param, std::string_view name) {
    const Operand* const operand = command_.find(name);
    if (operand == nullptr || operand->writes()) return;
    const std::int64_t at = command_.args()[param].value();
    const auto mine = std::ranges::upper_bound(choices_.allocations, at);
    if (mine == choices_.allocations.begin()) return;
    const std::int64_t begin = *std::prev(mine);
    for (const std::int64_t other_begin : choices_.allocations) {
      if (other_begin == begin) continue;
      std::vector<Arg> other = args();
      other[param].field[0] += other_begin - begin;
      add_in_place(other, param, fmt::format("buffer {}", other_begin), true);
    }
  }

  // Two sources of one kind, with their strides and types.
  void swap_sources() {
    const std::span<const Op::CompiledOperand> operands = op_.operands();
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
        add(op_, other, tr("{} and {} swapped", operands[a].spec->param, operands[b].spec->param),
            fmt::format("swap {} {}", a, b), true);
      }
    }
  }

  const Command& command_;
  const Op& op_;
  const Choices& choices_;
  std::vector<Alternative> found_;
};

}  // namespace

std::vector<Alternative> alternatives_of(const Command& command, const Choices& choices) {
  return Alternatives(command, choices).all();
}

}  // namespace tensorlane::why
