// Whole numbers as expressions of C.
#include <charconv>
#include <limits>

#include "lsp/c_types.h"
#include "lsp/c_values.h"

namespace tensorlane::lsp {
namespace {

// Definitions of definitions, and no more.
constexpr int kDeepest = 16;

// "64", "0x40u", "010": C's whole numbers.
std::optional<std::int64_t> whole_number(std::string_view word) {
  while (!word.empty() && std::string_view("uUlL").find(word.back()) != std::string_view::npos)
    word.remove_suffix(1);
  int base = 10;
  if (word.starts_with("0x") || word.starts_with("0X")) {
    word.remove_prefix(2);
    base = 16;
  } else if (word.size() > 1 && word.front() == '0') {
    word.remove_prefix(1);
    base = 8;
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, base);
  if (error != std::errc() || end != word.data() + word.size() ||
      value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    return std::nullopt;
  return static_cast<std::int64_t>(value);
}

// Bytes of the types of C that have the same on every machine of interest.
std::optional<std::int64_t> bytes_of_type(std::string_view type) {
  if (type == "char") return 1;
  if (type == "short") return 2;
  if (type == "int" || type == "unsigned" || type == "float") return 4;
  return std::nullopt;
}

}  // namespace

// Whole numbers and what + - * / % << >> & | ^ ~ make of them, by C's precedence. A step that
// leaves 64 bits, or divides by zero, gives nothing.
class CValues::Parser {
 public:
  Parser(const CValues& values, std::span<const Token> tokens, int depth)
      : values_(values), tokens_(tokens), depth_(depth) {}

  std::optional<std::int64_t> all() {
    const std::optional<std::int64_t> value = binary(0);
    return at_ == tokens_.size() ? value : std::nullopt;
  }

 private:
  std::string_view next() const {
    return at_ < tokens_.size() ? values_.text_.word(tokens_[at_]) : std::string_view();
  }

  static int strength(std::string_view mark) {
    if (mark == "|") return 1;
    if (mark == "^") return 2;
    if (mark == "&") return 3;
    if (mark == "<<" || mark == ">>") return 4;
    if (mark == "+" || mark == "-") return 5;
    if (mark == "*" || mark == "/" || mark == "%") return 6;
    return 0;
  }

  std::optional<std::int64_t> binary(int least) {
    std::optional<std::int64_t> left = unary();
    while (left) {
      const std::string_view mark = next();
      const int level = strength(mark);
      if (level == 0 || level <= least) break;
      ++at_;
      const std::optional<std::int64_t> right = binary(level);
      if (!right) return std::nullopt;
      const std::optional<std::int64_t> result = joined(*left, mark.front(), *right);
      // What leaves C's int is another number there.
      if (result && is_int(*left) && is_int(*right) && !is_int(*result)) return std::nullopt;
      left = result;
    }
    return left;
  }

  static std::optional<std::int64_t> joined(std::int64_t a, char mark, std::int64_t b) {
    std::int64_t result = 0;
    switch (mark) {
      case '+':
        return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
      case '-':
        return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
      case '*':
        return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
      case '/':
        return b <= 0 ? std::nullopt : std::optional(a / b);
      case '%':
        return b <= 0 ? std::nullopt : std::optional(a % b);
      case '<':
        return a < 0 || b < 0 || b > 30 || a >> (62 - b) != 0 ? std::nullopt
                                                              : std::optional(a << b);
      case '>':
        return a < 0 || b < 0 || b > 62 ? std::nullopt : std::optional(a >> b);
      case '&':
        return a & b;
      case '|':
        return a | b;
      default:
        return a ^ b;
    }
  }

  std::optional<std::int64_t> unary() {
    const std::string_view word = next();
    if (word == "-" || word == "+" || word == "~") {
      ++at_;
      const std::optional<std::int64_t> value = unary();
      if (!value || word == "+") return value;
      if (*value == std::numeric_limits<std::int64_t>::min()) return std::nullopt;
      return word == "-" ? -*value : ~*value;
    }
    if (word == "(") {
      const std::size_t close = closing();
      if (close == 0) return std::nullopt;
      const std::span<const Token> inner = tokens_.subspan(at_ + 1, close - at_ - 1);
      const bool cast = !inner.empty() && std::ranges::all_of(inner, [&](const Token& token) {
        return names_type(values_.text_.word(token));
      });
      at_ = close + 1;
      // What a cast to a floating type, or to a narrow one, makes of a number is not for here.
      if (cast) return std::nullopt;
      return values_.number(inner, depth_);
    }
    if (word == "sizeof") {
      ++at_;
      if (next() != "(" || at_ + 2 >= tokens_.size() || values_.text_.word(tokens_[at_ + 2]) != ")")
        return std::nullopt;
      const std::string_view type = values_.text_.word(tokens_[at_ + 1]);
      at_ += 3;
      return bytes_of_type(type);
    }
    return primary();
  }

  std::optional<std::int64_t> primary() {
    if (at_ >= tokens_.size()) return std::nullopt;
    const Token& token = tokens_[at_++];
    if (token.kind == Token::Kind::kNumber) return whole_number(values_.text_.word(token));
    if (token.kind != Token::Kind::kName || depth_ >= kDeepest) return std::nullopt;
    const std::string_view name = values_.text_.word(token);
    if (name == "true") return 1;
    if (name == "false") return 0;
    const std::optional<Tokens>& value = values_.value_of_name(token);
    if (!value) return std::nullopt;
    if (next() == ".") return field(*value);
    return values_.number(*value, depth_ + 1);
  }

  // shape.c
  std::optional<std::int64_t> field(const std::vector<Token>& value) {
    ++at_;
    const std::string_view name = next();
    ++at_;
    constexpr std::string_view kShape = "const dim4*";
    const ArgType& type = arg_type(kShape);
    const int index = field_index(type, name);
    const auto fields = values_.fields(type, value);
    if (index < 0 || name.empty() || !fields) return std::nullopt;
    return (*fields)[static_cast<std::size_t>(index)];
  }

  // The parenthesis that closes the one here; 0 for none.
  std::size_t closing() const {
    int depth = 0;
    for (std::size_t k = at_; k < tokens_.size(); ++k) {
      const std::string_view word = values_.text_.word(tokens_[k]);
      if (word == "(") ++depth;
      if (word == ")" && --depth == 0) return k;
    }
    return 0;
  }

  const CValues& values_;
  std::span<const Token> tokens_;
  int depth_;
  std::size_t at_ = 0;
};

std::optional<std::int64_t> CValues::number(std::span<const Token> tokens, int depth) const {
  return Parser(*this, tokens, depth).all();
}

}  // namespace tensorlane::lsp
