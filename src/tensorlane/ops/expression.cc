#include "tensorlane/ops/expression.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tensorlane/base/error.h"

namespace tensorlane {
namespace {

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
  const std::int64_t q = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

}  // namespace

// Recursive descent over one text; emits postfix code.
class Parser {
 public:
  Parser(std::string_view text, const Scope& scope) : text_(text), scope_(scope) {}

  Expression whole_expression() {
    Expression result = expression();
    if (!at_end()) fail("unexpected text");
    return result;
  }

  void limit(Limit& limit) {
    do {
      limit.relations_.push_back(relation());
    } while (take("=>"));
    if (!at_end()) fail("unexpected text");
  }

 private:
  using Op = Expression::Op;

  [[noreturn]] void fail(std::string_view why) const {
    internal_error_at(__FILE__, __LINE__,
                      fmt::format("{} at position {} of '{}'", why, pos_, text_));
  }
  void skip() {
    while (pos_ < text_.size() && text_[pos_] == ' ') ++pos_;
  }
  bool at_end() {
    skip();
    return pos_ == text_.size();
  }
  bool take(std::string_view token) {
    skip();
    if (text_.substr(pos_, token.size()) != token) return false;
    if (is_name_char(token.back()) && pos_ + token.size() < text_.size() &&
        is_name_char(text_[pos_ + token.size()])) {
      return false;
    }
    pos_ += token.size();
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) fail(fmt::format("expected '{}'", token));
  }
  std::string_view name() {
    skip();
    const std::size_t begin = pos_;
    while (pos_ < text_.size() && is_name_char(text_[pos_])) ++pos_;
    if (begin == pos_) fail("expected a name");
    return text_.substr(begin, pos_ - begin);
  }
  void emit(Expression& out, Op op) { out.code_.push_back({op}); }

  Expression expression() {
    skip();
    const std::size_t begin = pos_;
    Expression out;
    sum(out);
    out.text_ = std::string(trim(text_.substr(begin, pos_ - begin)));
    return out;
  }
  void sum(Expression& out) {
    term(out);
    for (;;) {
      if (take("+")) {
        term(out);
        emit(out, Op::kAdd);
      } else if (take("-")) {
        term(out);
        emit(out, Op::kSub);
      } else {
        return;
      }
    }
  }
  void term(Expression& out) {
    primary(out);
    for (;;) {
      if (take("*")) {
        primary(out);
        emit(out, Op::kMul);
      } else if (take("/")) {
        primary(out);
        emit(out, Op::kDiv);
      } else if (take("%")) {
        primary(out);
        emit(out, Op::kMod);
      } else {
        return;
      }
    }
  }
  void primary(Expression& out) {
    if (take("-")) {
      primary(out);
      return emit(out, Op::kNegate);
    }
    if (take("(")) {
      sum(out);
      return need(")");
    }
    skip();
    if (pos_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[pos_])))
      return number(out);
    const std::size_t begin = pos_;
    const std::string_view first = name();
    if (take("(")) return call(out, first);
    pos_ = begin;
    path(out);
  }
  void number(Expression& out) {
    int base = 10;
    if (text_.substr(pos_, 2) == "0x") {
      base = 16;
      pos_ += 2;
    }
    std::int64_t value = 0;
    const char* begin = text_.data() + pos_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value, base);
    if (error != std::errc()) fail("bad number");
    pos_ += static_cast<std::size_t>(end - begin);
    if (text_.substr(pos_, 2) == ".0") pos_ += 2;
    out.code_.push_back({Op::kPush, 0, 0, value});
  }
  void call(Expression& out, std::string_view function) {
    struct Binary {
      std::string_view name;
      Op op;
    };
    static constexpr Binary kBinary[] = {
        {"min", Op::kMin}, {"max", Op::kMax}, {"ceil_div", Op::kCeilDiv}, {"align", Op::kAlign}};
    for (const Binary& binary : kBinary) {
      if (binary.name != function) continue;
      sum(out);
      need(",");
      sum(out);
      need(")");
      return emit(out, binary.op);
    }
    if (function == "start_npu") {
      sum(out);
      need(")");
      return emit(out, Op::kStartNpu);
    }
    struct Constant {
      std::string_view name;
      Op op;
    };
    static constexpr Constant kConstants[] = {{"npu_num", Op::kNpus},
                                              {"local_mem_size_per_npu", Op::kNpuBytes},
                                              {"eu_num", Op::kEuNum},
                                              {"global_mem_start_addr", Op::kGlobalBegin}};
    const std::size_t underscore = function.find('_');
    for (const Constant& constant : kConstants) {
      if (underscore == std::string_view::npos || function.substr(underscore + 1) != constant.name)
        continue;
      need(")");
      return emit(out, constant.op);
    }
    fail(fmt::format("unknown function '{}'", function));
  }
  // A parameter, a field of one, a named expression or a constant.
  void path(Expression& out) {
    skip();
    const std::size_t begin = pos_;
    const std::string_view first = name();
    while (pos_ < text_.size() && text_[pos_] == '.') {
      ++pos_;
      name();
    }
    const std::string_view full = text_.substr(begin, pos_ - begin);
    for (std::size_t k = 0; k < scope_.params.size(); ++k) {
      if (scope_.params[k].name != first) continue;
      const ArgType& type = arg_type(scope_.params[k].type);
      const auto index = static_cast<std::int16_t>(k);
      if (full == first) {
        if (take_null_comparison(out, index)) return;
        out.code_.push_back({Op::kField, index, 0, 0});
        add_leaf(out, full, index, 0, type);
        return;
      }
      const int field = field_index(type, full.substr(first.size() + 1));
      if (field < 0) fail(fmt::format("'{}' has no such field", first));
      out.code_.push_back({Op::kField, index, static_cast<std::int16_t>(field), 0});
      add_leaf(out, full, index, field, type);
      return;
    }
    for (const auto& [name, text] : scope_.definitions) {
      if (name != full) continue;
      const Expression inner = Parser(text, scope_).whole_expression();
      out.code_.insert(out.code_.end(), inner.code_.begin(), inner.code_.end());
      for (const Expression::Leaf& leaf : inner.leaves_) {
        add_leaf(out, leaf.text, leaf.arg, leaf.field,
                 arg_type(scope_.params[static_cast<std::size_t>(leaf.arg)].type));
      }
      return;
    }
    for (const auto& [constant, value] : scope_.constants) {
      if (constant == full) {
        out.code_.push_back({Op::kPush, 0, 0, value});
        return;
      }
    }
    if (full == "parallel_state") return emit(out, Op::kParallel);
    if (full == "NULL") {
      out.code_.push_back({Op::kPush, 0, 0, 1});  // compares with kIsNull
      return;
    }
    fail(fmt::format("unknown name '{}'", full));
  }
  void add_leaf(Expression& out, std::string_view text, int arg, int field, const ArgType& type) {
    for (const Expression::Leaf& leaf : out.leaves_) {
      if (leaf.text == text) return;
    }
    const bool is_address = type.kind == ArgKind::kLocalAddress ||
                            type.kind == ArgKind::kSystemAddress ||
                            (type.kind == ArgKind::kValueOrAddress && field == 1);
    out.leaves_.push_back({std::string(text), static_cast<std::int16_t>(arg),
                           static_cast<std::int16_t>(field), is_address});
  }
  // "p != NULL": the left side becomes the null flag, which NULL (1) is compared with.
  bool take_null_comparison(Expression& out, std::int16_t param) {
    skip();
    const std::string_view rest = text_.substr(pos_);
    if (rest.starts_with("!= NULL") || rest.starts_with("== NULL")) {
      out.code_.push_back({Op::kIsNull, param, 0, 0});
      return true;
    }
    return false;
  }

  Limit::Relation relation() {
    using Kind = Limit::Kind;
    struct Predicate {
      std::string_view name;
      Kind kind;
    };
    static constexpr Predicate kPredicates[] = {{"not_null", Kind::kNotNull},
                                                {"same_start_npu", Kind::kSameStartNpu},
                                                {"distinct", Kind::kDistinct},
                                                {"fits", Kind::kFits}};
    Limit::Relation result;
    for (const Predicate& predicate : kPredicates) {
      if (!take(predicate.name)) continue;
      need("(");
      result.kind = predicate.kind;
      do {
        if (predicate.kind == Kind::kNotNull) {
          Expression null_flag;
          const std::string_view param = name();
          null_flag.text_ = std::string(param);
          for (std::size_t k = 0; k < scope_.params.size(); ++k) {
            if (scope_.params[k].name == param) {
              null_flag.code_.push_back({Op::kIsNull, static_cast<std::int16_t>(k), 0, 0});
            }
          }
          if (null_flag.code_.empty()) fail("unknown parameter");
          result.terms.push_back(std::move(null_flag));
        } else if (predicate.kind == Kind::kFits && result.terms.size() == 1) {
          fits_range(result);
        } else {
          result.terms.push_back(expression());
        }
      } while (take(","));
      need(")");
      return result;
    }
    result.terms.push_back(expression());
    if (take("in")) {
      result.kind = Limit::Kind::kMember;
      need("{");
      do {
        const std::string_view member = name();
        const auto found =
            std::find_if(scope_.constants.begin(), scope_.constants.end(),
                         [&](const auto& constant) { return constant.first == member; });
        if (found == scope_.constants.end()) fail(fmt::format("unknown constant '{}'", member));
        result.members.push_back(found->second);
      } while (take(","));
      need("}");
      return result;
    }
    using Compare = Limit::Compare;
    struct Link {
      std::string_view token;
      Compare compare;
    };
    static constexpr Link kLinks[] = {{"<=", Compare::kLessEqual}, {">=", Compare::kGreaterEqual},
                                      {"==", Compare::kEqual},     {"!=", Compare::kNotEqual},
                                      {"<", Compare::kLess},       {">", Compare::kGreater}};
    for (bool more = true; more;) {
      more = false;
      skip();
      if (text_.substr(pos_, 2) == "=>") break;
      for (const Link& link : kLinks) {
        if (!take(link.token)) continue;
        result.compares.push_back(link.compare);
        result.terms.push_back(expression());
        more = true;
        break;
      }
    }
    if (result.compares.empty()) result.kind = Limit::Kind::kFlag;
    return result;
  }
  // fits(C, op_type.src1): the bounds depend on fields src_8bit and src1_signed of that parameter.
  void fits_range(Limit::Relation& relation) {
    const std::string_view param = name();
    need(".");
    const std::string which(name());
    relation.terms.push_back(
        Parser(fmt::format("{}.{}_8bit", param, which == "dst" ? "dst" : "src"), scope_)
            .whole_expression());
    relation.terms.push_back(
        Parser(fmt::format("{}.{}_signed", param, which), scope_).whole_expression());
  }

  std::string_view text_;
  const Scope& scope_;
  std::size_t pos_ = 0;
};

Expression::Expression(std::string_view text, const Scope& scope) {
  *this = Parser(text, scope).whole_expression();
}

bool Expression::is_constant() const {
  return std::all_of(code_.begin(), code_.end(), [](const Instruction& instruction) {
    return instruction.op == Op::kPush || instruction.op == Op::kNegate ||
           (instruction.op >= Op::kNpus && instruction.op <= Op::kAlign);
  });
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
        stack[++top] = environment.chip->local.npus;
        break;
      case Op::kNpuBytes:
        stack[++top] = environment.chip->local.npu_bytes;
        break;
      case Op::kEuNum:
        stack[++top] = environment.chip->eu_bytes / 4;
        break;
      case Op::kGlobalBegin:
        stack[++top] = static_cast<std::int64_t>(environment.chip->region(Space::kGlobal).begin);
        break;
      case Op::kNegate:
        stack[top] = -stack[top];
        break;
      case Op::kStartNpu:
        stack[top] = floor_div(stack[top], environment.chip->local.npu_bytes);
        break;
      default: {
        const std::int64_t b = stack[top--];
        std::int64_t& a = stack[top];
        switch (at.op) {
          case Op::kAdd:
            a += b;
            break;
          case Op::kSub:
            a -= b;
            break;
          case Op::kMul:
            a *= b;
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
            if (at.op == Op::kMod) a = a - floor_div(a, b) * b;
            if (at.op == Op::kCeilDiv) a = -floor_div(-a, b);
            if (at.op == Op::kAlign) a = -floor_div(-a, b) * b;
        }
      }
    }
  }
  return stack[top];
}

Limit::Limit(std::string_view text, const Scope& scope) {
  text = trim(text);
  source_ = "doc";
  if (text.ends_with("]")) {
    const std::size_t open = text.rfind('[');
    source_ = std::string(text.substr(open + 1, text.size() - open - 2));
    text = trim(text.substr(0, open));
  }
  rule_ = std::string(text);
  if (text.find("values(") != std::string_view::npos) {
    about_data_ = true;
    return;
  }
  Parser(text, scope).limit(*this);
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
             relation.members.end();
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
      parts.push_back(fmt::format("{} is NULL", term.text()));
    } else if (relation.kind == Kind::kSameStartNpu && value) {
      parts.push_back(fmt::format("{} starts at NPU {}", term.text(),
                                  *value / environment.chip->local.npu_bytes));
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
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::optional<Violation> Limit::check(const Environment& environment) const {
  if (about_data_) return std::nullopt;
  for (std::size_t k = 0; k + 1 < relations_.size(); ++k) {
    const std::optional<bool> premise = holds(relations_[k], environment);
    if (!premise || !*premise) return std::nullopt;
  }
  const std::optional<bool> holding = holds(relations_.back(), environment);
  if (!holding || *holding) return std::nullopt;
  return Violation{describe(relations_.back(), environment), rule_, source_};
}

}  // namespace tensorlane
