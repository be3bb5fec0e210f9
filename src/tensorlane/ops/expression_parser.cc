// From the texts of the ops list to expressions and limits.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "tensorlane/base/error.h"
#include "tensorlane/ops/chip_figures.h"
#include "tensorlane/ops/expression.h"

namespace tensorlane {
namespace {

bool is_name_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

Breach parse_breach(std::string_view text) {
  constexpr std::pair<std::string_view, Breach> kNames[] = {
      {"computed", Breach::kComputed},
      {"on request", Breach::kOnRequest},
      {"not enforced", Breach::kUnenforced},
      {"model of 2024", Breach::kNewerModel},
  };
  for (const auto& [name, breach] : kNames) {
    if (name == text) return breach;
  }
  internal_error_at(__FILE__, __LINE__, fmt::format("'{}' is not what becomes of a call", text));
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

  // LOW <= values(p) <= HIGH; false when the text is of another form.
  bool limit_on_values(Limit& limit) {
    if (text_.find("values(") == std::string_view::npos) return false;
    Limit::Relation ends;
    ends.terms.push_back(expression());
    need("<=");
    need("values");
    need("(");
    const std::string_view param = name();
    if (std::ranges::find(scope_.params, param, &Param::name) == scope_.params.end())
      fail("unknown parameter");
    need(")");
    need("<=");
    ends.terms.push_back(expression());
    if (!at_end()) fail("unexpected text");
    limit.values_of_ = param;
    limit.relations_.push_back(std::move(ends));
    return true;
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
  // Operands and operators of one rank, from left to right.
  void binary(Expression& out, void (Parser::*operand)(Expression&),
              std::initializer_list<std::pair<std::string_view, Op>> operators) {
    (this->*operand)(out);
    for (;;) {
      const auto found =
          std::ranges::find_if(operators, [&](const auto& each) { return take(each.first); });
      if (found == operators.end()) return;
      (this->*operand)(out);
      emit(out, found->second);
    }
  }
  void sum(Expression& out) { binary(out, &Parser::term, {{"+", Op::kAdd}, {"-", Op::kSub}}); }
  void term(Expression& out) {
    binary(out, &Parser::primary, {{"*", Op::kMul}, {"/", Op::kDiv}, {"%", Op::kMod}});
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
    static constexpr std::pair<std::string_view, Op> kOfTwo[] = {
        {"min", Op::kMin}, {"max", Op::kMax}, {"ceil_div", Op::kCeilDiv}, {"align", Op::kAlign}};
    for (const auto& [name, op] : kOfTwo) {
      if (name != function) continue;
      sum(out);
      need(",");
      sum(out);
      need(")");
      return emit(out, op);
    }
    if (function == "start_npu") {
      sum(out);
      need(")");
      return emit(out, Op::kStartNpu);
    }
    struct Constant {
      std::string_view name;
      Op op;
      ChipFigure figure = ChipFigure::kNpus;  // of kNpus
    };
    static constexpr Constant kConstants[] = {{"npu_num", Op::kNpus},
                                              {"local_mem_size_per_npu", Op::kNpuBytes},
                                              {"eu_num", Op::kEuNum},
                                              {"global_mem_start_addr", Op::kGlobalBegin},
                                              {"exp_terms", Op::kNpus, ChipFigure::kExpTerms},
                                              {"log_terms", Op::kNpus, ChipFigure::kLogTerms},
                                              {"quant_words", Op::kNpus, ChipFigure::kQuantWords}};
    const std::size_t underscore = function.find('_');
    for (const Constant& constant : kConstants) {
      if (underscore == std::string_view::npos || function.substr(underscore + 1) != constant.name)
        continue;
      if (constant.op == Op::kEuNum && take("DT_INT8")) {
        need(")");
        return emit(out, Op::kEuBytes);
      }
      need(")");
      emit(out, constant.op);
      out.code_.back().arg = static_cast<std::int16_t>(constant.figure);
      return;
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
    if (full == "never") {
      out.code_.push_back({Op::kPush, 0, 0, 0});
      return;
    }
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
    Limit::Relation result = bare_relation();
    for (const Expression& term : result.terms) {
      for (const Expression::Leaf& leaf : term.leaves_) {
        const std::string_view type = scope_.params[static_cast<std::size_t>(leaf.arg)].type;
        if (result.enumeration < 0 &&
            (type == "data_type_t" || result.kind == Limit::Kind::kMember)) {
          result.enumeration = leaf.arg;
          result.of_types = result.of_types && type == "data_type_t";
          if (result.names.empty()) name_values(result, "DT_");
        }
      }
    }
    return result;
  }
  // Enumerators begin alike.
  void name_values(Limit::Relation& relation, std::string_view prefix) const {
    for (const auto& [name, value] : scope_.constants) {
      if (name.starts_with(prefix)) relation.names.emplace_back(value, name);
    }
  }
  Limit::Relation bare_relation() {
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
        if (result.members.empty()) name_values(result, member.substr(0, member.find('_') + 1));
        result.members.push_back(found->second);
        // A set of 8-bit floats alone is of a function that chips without them do not have.
        result.of_types = result.of_types || !member.starts_with("DT_FP8");
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

Limit::Limit(std::string_view text, const Scope& scope) {
  text = trim(text);
  source_ = "doc";
  if (text.ends_with("]")) {
    const std::size_t open = text.rfind('[');
    const std::string_view tag = text.substr(open + 1, text.size() - open - 2);
    const std::size_t semicolon = std::min(tag.find(';'), tag.size());
    source_ = std::string(tag.substr(0, semicolon));
    if (semicolon < tag.size()) breach_ = parse_breach(trim(tag.substr(semicolon + 1)));
    text = trim(text.substr(0, open));
  }
  rule_ = std::string(text);
  if (!Parser(text, scope).limit_on_values(*this)) Parser(text, scope).limit(*this);
  for (const Relation& relation : relations_) {
    for (const Expression& term : relation.terms) inputs_ |= term.inputs();
  }
}

}  // namespace tensorlane
