// The small language in which the ops list states shapes and limits.
//
//   limit      := relation { "=>" relation }              implication, right associative
//   relation   := predicate | chain | member | path       a bare path is a bool
//   chain      := expr { ("<"|"<="|">"|">="|"=="|"!=") expr }   all links hold
//   member     := path "in" "{" NAME { "," NAME } "}"
//   expr       := term { ("+"|"-") term }
//   term       := prim { ("*"|"/"|"%") prim }             "/" is the floor of the quotient
//   prim       := NUMBER | "-" prim | "(" expr ")" | path | call
//   path       := NAME { "." NAME }                       a field of a parameter
//   call       := min(a,b) | max(a,b) | ceil_div(a,b) | align(a,b) | start_npu(addr) | okk_*()
//              | tpu_eu_num(DT_INT8)                         bytes that an NPU handles per step
//   predicate  := not_null(p) | same_start_npu(a,b,...) | distinct(a,b) | fits(C, type)
//
//   values     := expr "<=" "values" "(" NAME ")" "<=" expr     the elements of an operand
//
// NULL compares with pointer parameters; `never` does not hold. A limit may end in a tag: where it
// comes from, and what becomes of a call that breaks it (see Breach). "[doc]", "[observed]",
// "[doc; computed]". A limit on values is a condition on data: validation of the call skips it,
// the checker looks at the elements.
//
// Texts are parsed once, when the list is first used; evaluating a limit costs tens of nanoseconds.
#ifndef TENSORLANE_OPS_EXPRESSION_H_
#define TENSORLANE_OPS_EXPRESSION_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensorlane/chip/chip.h"
#include "tensorlane/ops/args.h"

namespace tensorlane {

// A name and the expression it stands for, such as output_h.
using Definition = std::pair<std::string_view, std::string_view>;

// What names mean while a text is parsed.
struct Scope {
  std::span<const Param> params;
  // Expanded where they are used.
  std::span<const Definition> definitions;
  // Enumerators and constants, e.g. S8_OP_S8_TO_S8.
  std::span<const std::pair<std::string_view, std::int64_t>> constants;
};

// Which arguments of a call a text names, a bit for each, and whether it asks for the parallel
// region. Where none of them changes, nor does what the text says.
using Inputs = std::uint64_t;
inline constexpr Inputs kNoInputs = 0, kAnyInput = ~Inputs{0}, kRegionInput = Inputs{1} << 63;
constexpr Inputs input_of(int argument) {
  return Inputs{1} << argument;
}

// What names stand for while an expression is evaluated.
struct Environment {
  std::span<const Arg> args;
  const Chip* chip = nullptr;
  bool in_parallel_region = false;
};

class Expression {
 public:
  Expression() = default;
  // Throws InternalError when `text` does not parse in `scope`: the texts are ours.
  Expression(std::string_view text, const Scope& scope);

  // The value; nothing when it divides by zero or reads a field of a NULL pointer that has no
  // documented default.
  std::optional<std::int64_t> evaluate(const Environment& environment) const;
  const std::string& text() const { return text_; }
  bool is_constant() const;
  Inputs inputs() const;
  // What stands in the expression, with values: "dst_addr = 0x2"; empty for a bare name.
  std::string leaves(const Environment& environment) const;
  bool empty() const { return code_.empty(); }

 private:
  friend class Parser;
  enum class Op : std::uint8_t {
    kPush,
    kField,
    kIsNull,
    kParallel,
    kNpus,
    kNpuBytes,
    kEuNum,
    kEuBytes,
    kGlobalBegin,
    kAdd,
    kSub,
    kMul,
    kDiv,
    kMod,
    kNegate,
    kMin,
    kMax,
    kCeilDiv,
    kAlign,
    kStartNpu,
  };
  struct Instruction {
    Op op;
    std::int16_t arg = 0;
    std::int16_t field = 0;
    std::int64_t value = 0;
  };
  struct Leaf {
    std::string text;
    std::int16_t arg;
    std::int16_t field;
    bool is_address;
  };
  std::string text_;
  std::vector<Instruction> code_;
  std::vector<Leaf> leaves_;
};

// What becomes of a call that breaks a limit, and how the limit's tag says it. A range whose least
// value is 0 or more is lenient at its upper end alone: below, nothing has a meaning.
enum class Breach : std::uint8_t {
  kRefused,     // nothing: what could be computed would mean nothing
  kComputed,    // "computed": an error that is reported, and computed as the chip's model does
  kOnRequest,   // "on request": refused, or computed where LimitPolicy keeps going
  kUnenforced,  // "not enforced": computed, as the chip's model does not look at it
  kNewerModel,  // "model of 2024": computed as the chip's early model did; the newer one refuses it
};

// What the user wants of calls that break limits.
struct LimitPolicy {
  bool keep_going = false;  // compute whatever has a meaning
  bool strict = false;      // report what is not enforced, refuse what the newer model refuses
  friend bool operator==(const LimitPolicy&, const LimitPolicy&) = default;
};

// Why a limit does not hold: the terms with their values, e.g. "shape.c = 4096".
struct Violation {
  std::string values;  // empty for a limit that never holds
  std::string rule;
  std::string source;
  bool about_memory = false;  // a tensor that does not fit its memory
  std::string repair = {};    // of the mistake that it looks like; empty where nothing is suspected
  Breach breach = Breach::kRefused;
};

// The least and the largest value that elements may have.
struct ValueRange {
  std::int64_t low, high;
};

class Limit {
 public:
  Limit(std::string_view text, const Scope& scope);

  // Nothing when the limit holds, or when it cannot be judged from the arguments.
  std::optional<Violation> check(const Environment& environment) const;
  // Whether there is a violation, without its texts.
  bool is_broken(const Environment& environment) const;
  Inputs inputs() const { return inputs_; }

  const std::string& rule() const { return rule_; }
  // As a violation on the chip has it: the bytes of its EU row in place of tpu_eu_num(DT_INT8), and
  // of the element types those that it has.
  std::string rule(const Chip& chip) const;
  const std::string& source() const { return source_; }
  Breach breach() const { return breach_; }

  // Of a limit on the values of an operand: the parameter that names it, and the range in this
  // call (nothing when it cannot be judged). Empty and nothing for all others.
  std::string_view values_of() const { return values_of_; }
  bool about_data() const { return !values_of_.empty(); }
  std::optional<ValueRange> value_range(const Environment& environment) const;

 private:
  friend class Parser;
  enum class Kind : std::uint8_t {
    kChain,
    kMember,
    kFlag,
    kNotNull,
    kSameStartNpu,
    kDistinct,
    kFits
  };
  enum class Compare : std::uint8_t {
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kEqual,
    kNotEqual
  };
  struct Relation {
    Kind kind = Kind::kChain;
    std::vector<Expression> terms;
    std::vector<Compare> compares;
    std::vector<std::int64_t> members;
    // The argument that is a value of an enumeration, and the names of such values; -1: none is.
    int enumeration = -1;
    std::vector<std::pair<std::int64_t, std::string>> names;
    bool of_types = false;  // that argument is an element type
  };
  // Whether the element type that a relation is about is one that the chip does not have: such a
  // one is no member of any set.
  static bool is_missing_type(const Relation& relation, const Environment& environment);
  static std::optional<bool> holds(const Relation& relation, const Environment& environment);
  static std::string describe(const Relation& relation, const Environment& environment);
  // A range is broken at its lower end, and that end is 0 or more.
  static bool below_least(const Relation& relation, const Environment& environment);

  std::string rule_;
  std::string source_;
  Breach breach_ = Breach::kRefused;
  std::vector<Relation> relations_;  // all but the last are premises
  Inputs inputs_ = kNoInputs;
  std::string values_of_;  // then the only relation has two terms, the ends of the range
};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_EXPRESSION_H_
