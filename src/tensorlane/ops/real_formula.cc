#include "tensorlane/ops/real_formula.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

namespace tensorlane {
namespace {

double sigmoid(double x) {
  return 1 / (1 + std::exp(-x));
}
// The form by tanh, which is what is called so; the other one is documented by erf.
double gelu(double x) {
  return x / 2 * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x)));
}
double cotangent(double x) {
  return 1 / std::tan(x);
}
// Neither is a part of the real meaning.
double unchanged(double x) {
  return x;
}

constexpr std::pair<std::string_view, double (*)(double)> kFunctions[] = {
    {"sqrt", std::sqrt},   {"exp", std::exp},      {"ln", std::log},        {"sin", std::sin},
    {"cos", std::cos},     {"tan", std::tan},      {"cot", cotangent},      {"arcsin", std::asin},
    {"arccos", std::acos}, {"arsinh", std::asinh}, {"arcosh", std::acosh},  {"artanh", std::atanh},
    {"sinh", std::sinh},   {"cosh", std::cosh},    {"tanh", std::tanh},     {"erf", std::erf},
    {"sigmoid", sigmoid},  {"gelu", gelu},         {"saturate", unchanged}, {"round", unchanged},
    {"fp32", unchanged},   {"int32", unchanged},
};
bool is_letter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

class FormulaParser {
 public:
  FormulaParser(std::string_view text, std::span<const std::string_view> known)
      : rest_(text), known_(known) {}

  std::optional<RealFormula> parse() {
    if (!take("dst")) return std::nullopt;
    if (take("[") && !skip_to(']')) return std::nullopt;
    if (!take("=") || !choice() || !rest_.empty()) return std::nullopt;
    if (std::ranges::all_of(made_.code_,
                            [](const auto& each) { return each.op == RealFormula::Op::kNumber; }))
      return std::nullopt;
    made_.depth_ = deepest_;
    return std::move(made_);
  }

 private:
  using Op = RealFormula::Op;

  void skip_spaces() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  bool take(std::string_view token) {
    std::string_view from = rest_;
    while (!from.empty() && from.front() == ' ') from.remove_prefix(1);
    if (!from.starts_with(token)) return false;
    rest_ = from.substr(token.size());
    return true;
  }
  bool skip_to(char end) {
    const std::size_t at = rest_.find(end);
    if (at == rest_.npos) return false;
    rest_.remove_prefix(at + 1);
    return true;
  }
  void push(const RealFormula::Instruction& instruction) {
    made_.code_.push_back(instruction);
    switch (instruction.op) {
      case Op::kNumber:
      case Op::kName:
        deepest_ = std::max(deepest_, ++depth_);
        break;
      case Op::kNegate:
      case Op::kAbs:
      case Op::kClamp:
      case Op::kFunction:
        break;
      case Op::kChoose:
        depth_ -= 2;
        break;
      default:
        --depth_;
    }
  }

  bool choice() {
    if (!compare()) return false;
    if (!take("?")) return true;
    if (!choice() || !take(":") || !choice()) return false;
    push({.op = Op::kChoose});
    return true;
  }
  bool binary(bool (FormulaParser::*operand)(),
              std::initializer_list<std::pair<std::string_view, Op>> operators) {
    if (!(this->*operand)()) return false;
    while (true) {
      const auto found =
          std::ranges::find_if(operators, [&](const auto& each) { return take(each.first); });
      if (found == operators.end()) return true;
      if (!(this->*operand)()) return false;
      push({.op = found->second});
    }
  }
  bool compare() {
    return binary(&FormulaParser::shift, {{">=", Op::kGreaterEqual},
                                          {"<=", Op::kLessEqual},
                                          {"==", Op::kEqual},
                                          {"!=", Op::kNotEqual},
                                          {">", Op::kGreater},
                                          {"<", Op::kLess}});
  }
  bool shift() {
    return binary(&FormulaParser::sum, {{"<<", Op::kShiftLeft}, {">>", Op::kShiftRight}});
  }
  bool sum() { return binary(&FormulaParser::product, {{"+", Op::kAdd}, {"-", Op::kSub}}); }
  bool product() { return binary(&FormulaParser::unary, {{"*", Op::kMul}, {"/", Op::kDiv}}); }
  bool unary() {
    if (!take("-")) return power();
    if (!unary()) return false;
    push({.op = Op::kNegate});
    return true;
  }
  bool power() {
    if (!primary()) return false;
    if (!take("^")) return true;
    if (!unary()) return false;
    push({.op = Op::kPower});
    return true;
  }
  bool primary() {
    skip_spaces();
    if (rest_.empty()) return false;
    if (take("(")) return choice() && take(")");
    if (take("|")) {
      if (!choice() || !take("|")) return false;
      push({.op = Op::kAbs});
      return true;
    }
    if (std::isdigit(static_cast<unsigned char>(rest_.front())) != 0) return number();
    return word();
  }
  bool number() {
    double value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc()) return false;
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    push({.op = Op::kNumber, .number = value});
    return true;
  }
  bool word() {
    std::size_t length = 0;
    while (length < rest_.size() && is_letter(rest_[length])) ++length;
    const std::string_view word = rest_.substr(0, length);
    rest_.remove_prefix(length);
    if (word == "e") {
      push({.op = Op::kNumber, .number = std::numbers::e});
      return true;
    }
    if (word == "min" || word == "max") {
      if (!take("(") || !choice() || !take(",") || !choice() || !take(")")) return false;
      push({.op = word == "min" ? Op::kMin : Op::kMax});
      return true;
    }
    if (word == "limit") {
      if (!take("(") || !choice() || !take(",") || !take("0..1") || !take(")")) return false;
      push({.op = Op::kClamp});
      return true;
    }
    if (word == "shift" && take("(")) {  // by the parameter of that name: left where it is positive
      if (!choice() || !take(")") || !name("shift")) return false;
      push({.op = Op::kShiftLeft});
      return true;
    }
    for (const auto& [function, f] : kFunctions) {
      if (word != function) continue;
      if (take("(") ? !choice() || !take(")") : !primary()) return false;
      push({.op = Op::kFunction, .function = f});
      return true;
    }
    return name(word);
  }
  bool name(std::string_view word) {
    if (std::ranges::find(known_, word) == known_.end()) return false;
    // bias[c], src0[i]: the element that belongs to the result. An index of another kind is prose.
    if (rest_.starts_with('[')) {
      if (rest_.size() < 3 || rest_[2] != ']') return false;
      rest_.remove_prefix(3);
    }
    auto& names = made_.names_;
    const auto found = std::ranges::find(names, word);
    push({.op = Op::kName, .name = static_cast<std::size_t>(found - names.begin())});
    if (found == names.end()) names.emplace_back(word);
    return true;
  }

  std::string_view rest_;
  std::span<const std::string_view> known_;
  RealFormula made_;
  std::size_t depth_ = 0, deepest_ = 0;
};

std::optional<RealFormula> RealFormula::parse(std::string_view text,
                                              std::span<const std::string_view> known) {
  return FormulaParser(text, known).parse();
}

namespace {

constexpr std::size_t kChunk = 256;

// a[i] = f(a[i], b[i])
using OverTwo = void (*)(double* a, const double* b, std::size_t count);
template <class F>
constexpr OverTwo over(F /*f*/) {
  return [](double* a, const double* b, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) a[i] = static_cast<double>(F()(a[i], b[i]));
  };
}

}  // namespace

void RealFormula::evaluate(std::span<const double* const> values, std::span<double> result) const {
  static constexpr std::pair<Op, OverTwo> kOfTwo[] = {
      {Op::kAdd, over(std::plus())},
      {Op::kSub, over(std::minus())},
      {Op::kMul, over(std::multiplies())},
      {Op::kDiv, over(std::divides())},
      {Op::kPower, over([](double a, double b) {
         return a == std::numbers::e ? std::exp(b) : std::pow(a, b);
       })},
      {Op::kShiftLeft, over([](double a, double b) { return a * std::exp2(b); })},
      {Op::kShiftRight, over([](double a, double b) { return a * std::exp2(-b); })},
      {Op::kGreater, over(std::greater())},
      {Op::kGreaterEqual, over(std::greater_equal())},
      {Op::kLess, over(std::less())},
      {Op::kLessEqual, over(std::less_equal())},
      {Op::kEqual, over(std::equal_to())},
      {Op::kNotEqual, over(std::not_equal_to())},
      {Op::kMin, over([](double a, double b) { return std::min(a, b); })},
      {Op::kMax, over([](double a, double b) { return std::max(a, b); })},
  };
  std::vector<std::array<double, kChunk>> stack(depth_);
  for (std::size_t begin = 0; begin < result.size(); begin += kChunk) {
    const std::size_t count = std::min(kChunk, result.size() - begin);
    std::size_t top = 0;  // of the stack
    const auto one = [&](auto f) {
      auto& a = stack[top - 1];
      for (std::size_t i = 0; i < count; ++i) a[i] = f(a[i]);
    };
    for (const Instruction& step : code_) {
      switch (step.op) {
        case Op::kNumber:
          stack[top++].fill(step.number);
          break;
        case Op::kName:
          std::copy_n(values[step.name] + begin, count, stack[top++].begin());
          break;
        case Op::kNegate:
          one([](double a) { return -a; });
          break;
        case Op::kAbs:
          one([](double a) { return std::abs(a); });
          break;
        case Op::kClamp:
          one([](double a) { return std::clamp(a, 0.0, 1.0); });
          break;
        case Op::kFunction:
          one(step.function);
          break;
        case Op::kChoose: {
          auto& condition = stack[top - 3];
          const auto &yes = stack[top - 2], &no = stack[top - 1];
          for (std::size_t i = 0; i < count; ++i) condition[i] = condition[i] != 0 ? yes[i] : no[i];
          top -= 2;
          break;
        }
        default:
          std::ranges::find(kOfTwo, step.op, &std::pair<Op, OverTwo>::first)
              ->second(stack[top - 2].data(), stack[top - 1].data(), count);
          --top;
      }
    }
    std::copy_n(stack[0].begin(), count, result.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace tensorlane
