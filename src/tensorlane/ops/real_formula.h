// What an element of a result is, in real numbers: the formula of an entry of the ops list.
//
// "dst = src0 + src1", "dst = src > 0 ? src : alpha * (e ^ src - 1)", "dst[i, j] = src0[i] *
// src1[j]". It is printed as it stands and evaluated in double precision. Rounding, saturation and
// changes of type are no part of the real meaning: round(x), saturate(x), fp32(x) and int32(x) are
// x.
//
//   formula    := "dst" [ "[i, j]" ] "=" choice
//   choice     := compare [ "?" choice ":" choice ]
//   compare    := shift { (">" | ">=" | "<" | "<=" | "==" | "!=") shift }
//   shift      := sum { ("<<" | ">>") sum }          times or divided by a power of 2
//   sum        := product { ("+" | "-") product }
//   product    := unary { ("*" | "/") unary }
//   unary      := "-" unary | power
//   power      := primary [ "^" unary ]
//   primary    := NUMBER | "e" | "(" choice ")" | "|" choice "|" | FUNCTION argument
//               | NAME [ "[" . "]" ]
//   argument   := "(" choice { "," choice } ")" | primary
//
// A test holds every formula against what its function computes.
#ifndef TENSORLANE_OPS_REAL_FORMULA_H_
#define TENSORLANE_OPS_REAL_FORMULA_H_

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane {

class RealFormula {
 public:
  // Nothing where the text is no formula. `known` says which names it may use.
  static std::optional<RealFormula> parse(std::string_view text,
                                          std::span<const std::string_view> known);

  // The names in the formula, each once.
  const std::vector<std::string>& names() const { return names_; }

  // result[i] of the values that names()[k] has there, values[k][i].
  void evaluate(std::span<const double* const> values, std::span<double> result) const;

 private:
  friend class FormulaParser;
  enum class Op : std::uint8_t {
    kNumber,
    kName,
    kNegate,
    kAbs,
    kAdd,
    kSub,
    kMul,
    kDiv,
    kPower,
    kShiftLeft,
    kShiftRight,
    kGreater,
    kGreaterEqual,
    kLess,
    kLessEqual,
    kEqual,
    kNotEqual,
    kChoose,
    kMin,
    kMax,
    kClamp,
    kFunction
  };
  struct Instruction {
    Op op;
    double number = 0;
    std::size_t name = 0;
    double (*function)(double) = nullptr;
  };
  std::vector<Instruction> code_;  // postfix
  std::vector<std::string> names_;
  std::size_t depth_ = 0;
};

}  // namespace tensorlane

#endif  // TENSORLANE_OPS_REAL_FORMULA_H_
