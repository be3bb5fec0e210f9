#include "tensorlane/ops/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/chip/numerics_rules.h"
#include "tensorlane/ops/address_text.h"
#include "tensorlane/ops/chip_figures.h"

namespace tensorlane {
namespace {

// What is too large for 64 bits is the largest number, or the least: no limit allows either.
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

std::int64_t add(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? (b < 0 ? kLeast : kMost) : sum;
}
std::int64_t subtract(std::int64_t a, std::int64_t b) {
  std::int64_t difference = 0;
  return __builtin_sub_overflow(a, b, &difference) ? (b > 0 ? kLeast : kMost) : difference;
}
std::int64_t multiply(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? ((a < 0) != (b < 0) ? kLeast : kMost) : product;
}
std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  if (b == -1) return subtract(0, a);
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

std::int64_t up_div(std::int64_t a, std::int64_t b) {
  return subtract(0, floor_div(subtract(0, a), b));
}

// A text about one chip: the number in place of the function that gives it, and no types that the
// chip does not have.
std::string for_chip(std::string text, const Chip& chip) {
  constexpr std::string_view kFp8 = ", DT_FP8E4M3, DT_FP8E5M2";
  if (const std::size_t at = text.find(kFp8); at != std::string::npos && !chip.has_fp8)
    text.erase(at, kFp8.size());
  constexpr std::string_view kFunction = "tpu_eu_num(DT_INT8)";
  for (std::size_t at = text.find(kFunction); at != std::string::npos; at = text.find(kFunction))
    text.replace(at, kFunction.size(), std::to_string(chip.eu_bytes));
  return text;
}

// The figures of a chip behind the functions without arguments that count something.
std::int64_t chip_figure(const Chip& chip, std::int16_t which) {
  const NumericsRules& rules = numerics_of(chip).rules;
  switch (static_cast<ChipFigure>(which)) {
    case ChipFigure::kNpus:
      break;
    case ChipFigure::kExpTerms:
      return rules.exp_terms();
    case ChipFigure::kLogTerms:
      return rules.log_terms();
    case ChipFigure::kQuantWords:
      return rules.packed_quantisation.value ? 2 : 3;
  }
  return chip.local.npus;
}

}  // namespace

bool Expression::is_constant() const {
  return std::all_of(code_.begin(), code_.end(), [](const Instruction& instruction) {
    return instruction.op == Op::kPush || instruction.op == Op::kNegate ||
           (instruction.op >= Op::kNpus && instruction.op <= Op::kAlign);
  });
}

Inputs Expression::inputs() const {
  Inputs inputs = kNoInputs;
  for (const Instruction& instruction : code_) {
    if (instruction.op == Op::kField || instruction.op == Op::kIsNull)
      inputs |= input_of(instruction.arg);
    if (instruction.op == Op::kParallel) inputs |= kRegionInput;
  }
  return inputs;
}

std::string Expression::leaves(const Environment& environment) const {
  if (leaves_.size() == 1 && leaves_[0].text == text_ && !leaves_[0].is_address) return {};
  std::string result;
  for (const Leaf& leaf : leaves_) {
    const std::int64_t value = environment.args[leaf.arg].field[leaf.field];
    result += result.empty() ? "" : ", ";
    result += leaf.is_address
                  ? fmt::format("{} = {:#x}", leaf.text, static_cast<std::uint64_t>(value))
                  : fmt::format("{} = {}", leaf.text, value);
  }
  return result;
}

std::optional<std::int64_t> Expression::evaluate(const Environment& environment) const {
  std::int64_t stack[16];
  int top = -1;
  for (const Instruction& at : code_) {
    if (at.op <= Op::kGlobalBegin) TL_INTERNAL_CHECK(top < 15);
    switch (at.op) {
      case Op::kPush:
        stack[++top] = at.value;
        break;
      case Op::kField:
        if (!environment.args[at.arg].has_value) return std::nullopt;
        stack[++top] = environment.args[at.arg].field[at.field];
        break;
      case Op::kIsNull:
        stack[++top] = environment.args[at.arg].is_null;
        break;
      case Op::kParallel:
        stack[++top] = environment.in_parallel_region;
        break;
      case Op::kNpus:
        stack[++top] = chip_figure(*environment.chip, at.arg);
        break;
      case Op::kNpuBytes:
        stack[++top] = environment.chip->local.npu_bytes;
        break;
      case Op::kEuNum:
        stack[++top] = environment.chip->eu_bytes / 4;
        break;
      case Op::kEuBytes:
        stack[++top] = environment.chip->eu_bytes;
        break;
      case Op::kGlobalBegin:
        stack[++top] = static_cast<std::int64_t>(environment.chip->region(Space::kGlobal).begin);
        break;
      case Op::kNegate:
        stack[top] = subtract(0, stack[top]);
        break;
      case Op::kStartNpu:
        stack[top] = floor_div(stack[top], environment.chip->local.npu_bytes);
        break;
      default: {
        const std::int64_t b = stack[top--];
        std::int64_t& a = stack[top];
        switch (at.op) {
          case Op::kAdd:
            a = add(a, b);
            break;
          case Op::kSub:
            a = subtract(a, b);
            break;
          case Op::kMul:
            a = multiply(a, b);
            break;
          case Op::kMin:
            a = std::min(a, b);
            break;
          case Op::kMax:
            a = std::max(a, b);
            break;
          default:
            if (b == 0) return std::nullopt;
            if (at.op == Op::kDiv) a = floor_div(a, b);
            if (at.op == Op::kMod) a = subtract(a, multiply(floor_div(a, b), b));
            if (at.op == Op::kCeilDiv) a = up_div(a, b);
            if (at.op == Op::kAlign) a = multiply(up_div(a, b), b);
        }
      }
    }
  }
  return stack[top];
}

bool Limit::is_missing_type(const Relation& relation, const Environment& environment) {
  if (!relation.of_types || environment.chip->has_fp8) return false;
  const std::int64_t type =
      environment.args[static_cast<std::size_t>(relation.enumeration)].field[kDtypeField];
  return type == static_cast<std::int64_t>(Dtype::kFp8E4M3) ||
         type == static_cast<std::int64_t>(Dtype::kFp8E5M2);
}

std::optional<bool> Limit::holds(const Relation& relation, const Environment& environment) {
  std::int64_t values[12];
  TL_INTERNAL_CHECK(relation.terms.size() <= 12);
  for (std::size_t k = 0; k < relation.terms.size(); ++k) {
    const std::optional<std::int64_t> value = relation.terms[k].evaluate(environment);
    if (!value) return std::nullopt;
    values[k] = *value;
  }
  const std::size_t count = relation.terms.size();
  switch (relation.kind) {
    case Kind::kNotNull:
      return values[0] == 0;
    case Kind::kFlag:
      return values[0] != 0;
    case Kind::kMember:
      return std::find(relation.members.begin(), relation.members.end(), values[0]) !=
                 relation.members.end() &&
             !is_missing_type(relation, environment);
    case Kind::kSameStartNpu: {
      const std::int64_t npu_bytes = environment.chip->local.npu_bytes;
      for (std::size_t k = 1; k < count; ++k) {
        if (values[k] / npu_bytes != values[0] / npu_bytes) return false;
      }
      return true;
    }
    case Kind::kDistinct:
      return values[0] != values[1];
    case Kind::kFits: {
      const int bits = values[1] != 0 ? 8 : 16;
      const std::int64_t low = values[2] != 0 ? -(1 << (bits - 1)) : 0;
      const std::int64_t high = values[2] != 0 ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
      return values[0] >= low && values[0] <= high;
    }
    case Kind::kChain:
      break;
  }
  for (std::size_t k = 0; k + 1 < count; ++k) {
    const std::int64_t a = values[k], b = values[k + 1];
    bool link = false;
    switch (relation.compares[k]) {
      case Compare::kLess:
        link = a < b;
        break;
      case Compare::kLessEqual:
        link = a <= b;
        break;
      case Compare::kGreater:
        link = a > b;
        break;
      case Compare::kGreaterEqual:
        link = a >= b;
        break;
      case Compare::kEqual:
        link = a == b;
        break;
      case Compare::kNotEqual:
        link = a != b;
        break;
    }
    if (!link) return false;
  }
  return true;
}

std::string Limit::describe(const Relation& relation, const Environment& environment) {
  std::vector<std::string> parts;
  for (const Expression& term : relation.terms) {
    if (term.is_constant()) continue;
    const std::optional<std::int64_t> value = term.evaluate(environment);
    if (relation.kind == Kind::kNotNull) {
      parts.push_back(tr("{} is NULL", term.text()));
    } else if (relation.kind == Kind::kSameStartNpu && value) {
      parts.push_back(tr("{} starts at NPU {}{}", term.text(),
                         *value / environment.chip->local.npu_bytes,
                         past_first_npu(environment.chip->local, *value)));
    } else if (value) {
      const std::string leaves = term.leaves(environment);
      if (leaves.starts_with(term.text() + " = 0x")) {  // an address alone
        parts.push_back(leaves);
      } else {
        parts.push_back(fmt::format("{} = {}{}", term.text(), *value,
                                    leaves.empty() ? "" : " (" + leaves + ")"));
      }
    }
  }
  if (relation.kind == Kind::kFits) parts.resize(1);
  if (relation.enumeration >= 0 && !parts.empty()) {
    const std::int64_t value =
        environment.args[static_cast<std::size_t>(relation.enumeration)].value();
    const auto named =
        std::ranges::find(relation.names, value, &std::pair<std::int64_t, std::string>::first);
    if (named != relation.names.end()) {
      const std::string& term = relation.terms.front().text();
      const std::string text =
          fmt::format("{} = {}", term.substr(0, term.find('.')), named->second);
      if (relation.kind == Kind::kMember) {
        parts.front() = is_missing_type(relation, environment)
                            ? tr("{}, a type that {} does not have", text, environment.chip->name)
                            : text;
      } else if (relation.kind == Kind::kFlag) {
        parts.front() += fmt::format(" ({})", text);
      }
    }
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool Limit::below_least(const Relation& relation, const Environment& environment) {
  if (relation.kind != Kind::kChain || relation.terms.size() != 3) return false;
  const std::optional<std::int64_t> least = relation.terms[0].evaluate(environment);
  const std::optional<std::int64_t> value = relation.terms[1].evaluate(environment);
  return least && value && *least >= 0 && *value < *least;
}

std::optional<ValueRange> Limit::value_range(const Environment& environment) const {
  if (!about_data()) return std::nullopt;
  const std::optional<std::int64_t> low = relations_[0].terms[0].evaluate(environment);
  const std::optional<std::int64_t> high = relations_[0].terms[1].evaluate(environment);
  if (!low || !high) return std::nullopt;
  return ValueRange{*low, *high};
}

bool Limit::is_broken(const Environment& environment) const {
  if (about_data()) return false;
  for (std::size_t k = 0; k + 1 < relations_.size(); ++k) {
    const std::optional<bool> premise = holds(relations_[k], environment);
    if (!premise || !*premise) return false;
  }
  const std::optional<bool> holding = holds(relations_.back(), environment);
  return holding && !*holding;
}

std::string Limit::rule(const Chip& chip) const {
  return for_chip(rule_, chip);
}

std::optional<Violation> Limit::check(const Environment& environment) const {
  if (!is_broken(environment)) return std::nullopt;
  Violation violation{for_chip(describe(relations_.back(), environment), *environment.chip),
                      rule(*environment.chip), source_};
  if (!below_least(relations_.back(), environment)) violation.breach = breach_;
  return violation;
}

}  // namespace tensorlane
