#include "lsp/c_values.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <limits>

namespace tensorlane::lsp {
namespace {

// Definitions of definitions, and no more.
constexpr int kDeepest = 16;

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\r\n").find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
}

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

// Types that hold what is put into them: of narrow ones nobody knows here what they keep of it.
bool holds_values(std::string_view word) {
  constexpr std::string_view kTypes[] = {"int",   "unsigned", "long", "u32",    "u64",
                                         "float", "dim4",     "dim2", "Padding"};
  return std::ranges::count(kTypes, word) != 0 ||
         (word.ends_with("_t") && word.find("int8") == std::string_view::npos &&
          word.find("int16") == std::string_view::npos);
}

bool names_type(std::string_view word) {
  constexpr std::string_view kTypes[] = {"const", "char", "short", "signed", "double"};
  return std::ranges::count(kTypes, word) != 0 || holds_values(word) || word.ends_with("_t");
}

constexpr bool is_int(std::int64_t value) {
  return value >= std::numeric_limits<int>::min() && value <= std::numeric_limits<int>::max();
}

// Whether a parameter of this type gets the number that the text names, and no other one that C
// makes of it.
bool keeps(const ArgType& type, std::int64_t value) {
  constexpr std::string_view kWide[] = {
      "unsigned long long", "uint64_t",      "size_t", "u64",
      "system_addr_t",      "global_addr_t", "addr_t", "l2_sram_addr_t"};
  constexpr std::string_view kUnsigned[] = {"unsigned int", "u32", "local_addr_t", "static_addr_t"};
  constexpr std::string_view kShort[] = {"short", "unsigned short", "uint16_t"};
  if (std::ranges::count(kWide, type.spelling) != 0) return value >= 0;
  if (std::ranges::count(kUnsigned, type.spelling) != 0) return value >= 0 && value >> 32 == 0;
  if (std::ranges::count(kShort, type.spelling) != 0) return value >= 0 && value < 0x8000;
  if (type.spelling == "bool") return value == 0 || value == 1;
  if (type.spelling.ends_with("char")) return value >= 0 && value < 0x80;
  return is_int(value);
}

// A macro in capitals may do anything to what it is handed; assertions only look.
bool could_be_macro(std::string_view name) {
  return !name.ends_with("ASSERT") &&
         name.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
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
      return Parser(values_, inner, depth_).all();
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
    return Parser(values_, *value, depth_ + 1).all();
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

std::optional<Json> CValues::argument(const ArgType& type, const Span& span) const {
  const std::vector<Token> tokens = text_.code_in(span);
  if (tokens.empty()) return std::nullopt;
  const std::string_view whole = without_blanks(text_.word(span));
  switch (type.kind) {
    case ArgKind::kStruct:
      return structure(type, tokens);
    case ArgKind::kValueOrAddress:
      if (whole == "NULL" || whole == "0") return Json();
      return std::nullopt;
    case ArgKind::kDtype:
    case ArgKind::kInteger:
      if (tokens.size() == 1 && tokens[0].kind == Token::Kind::kName) {
        if (const auto number = enumerator_(type, whole)) return Json(*number);
      }
      [[fallthrough]];
    case ArgKind::kLocalAddress:
    case ArgKind::kSystemAddress: {
      const std::optional<std::int64_t> number = Parser(*this, tokens, 0).all();
      return number && keeps(type, *number) ? std::optional(Json(*number)) : std::nullopt;
    }
    case ArgKind::kFloat: {
      if (const auto number = Parser(*this, tokens, 0).all()) return Json(*number);
      const bool minus = tokens.size() == 2 && text_.word(tokens[0]) == "-";
      if (tokens.size() != (minus ? 2U : 1U) || tokens.back().kind != Token::Kind::kNumber)
        return std::nullopt;
      std::string digits(text_.word(tokens.back()));
      while (digits.ends_with('f') || digits.ends_with('F')) digits.pop_back();
      char* end = nullptr;
      const double number = std::strtod(digits.c_str(), &end);
      return *end == '\0' ? std::optional(Json(minus ? -number : number)) : std::nullopt;
    }
    case ArgKind::kUnion:
    case ArgKind::kPointer:
      return std::nullopt;
  }
  return std::nullopt;
}

// NULL, &(dim4){...}, &name.
std::optional<Json> CValues::structure(const ArgType& type, std::span<const Token> tokens) const {
  const auto word = [&](std::size_t k) { return text_.word(tokens[k]); };
  if (tokens.size() == 1 && (word(0) == "NULL" || word(0) == "0" || word(0) == "nullptr"))
    return Json();
  if (word(0) != "&" || tokens.size() < 2) return std::nullopt;
  std::optional<std::vector<std::int64_t>> values;
  if (tokens.size() == 2 && tokens[1].kind == Token::Kind::kName) {
    const std::optional<Tokens>& declared = value_of_name(tokens[1]);
    if (declared) values = fields(type, *declared);
  } else if (tokens.size() > 5 && word(1) == "(" && word(3) == ")") {
    values = fields(type, tokens.subspan(4));
  }
  return values ? std::optional(Json(*values)) : std::nullopt;
}

// {1, 64, 28, 28} or {.n = 1, .c = 64}: fields that are not named are 0.
std::optional<std::vector<std::int64_t>> CValues::fields(const ArgType& type,
                                                         std::span<const Token> braces) const {
  const auto word = [&](std::size_t k) { return text_.word(braces[k]); };
  if (braces.size() < 2 || word(0) != "{" || word(braces.size() - 1) != "}") return std::nullopt;
  const int count = field_count(type);
  std::vector<std::int64_t> values(static_cast<std::size_t>(count), 0);
  int place = 0, depth = 0;
  for (std::size_t begin = 1, at = 1; at < braces.size(); ++at) {
    if (word(at) == "(") ++depth;
    if (word(at) == ")") --depth;
    const bool last = at + 1 == braces.size();
    if (!last && (word(at) != "," || depth > 0)) continue;
    if (at == begin) {
      if (last) break;  // a comma before the brace, or no field at all
      return std::nullopt;
    }
    if (at - begin > 3 && word(begin) == "." && word(begin + 2) == "=") {
      place = field_index(type, word(begin + 1));
      begin += 3;
    } else if (at - begin == 3 && word(begin) == ".") {
      return std::nullopt;
    }
    if (place < 0 || place >= count) return std::nullopt;
    const std::optional<std::int64_t> value =
        Parser(*this, braces.subspan(begin, at - begin), 0).all();
    if (!value || !is_int(*value)) return std::nullopt;
    values[static_cast<std::size_t>(place++)] = *value;
    begin = at + 1;
  }
  return values;
}

const std::optional<CValues::Tokens>& CValues::value_of_name(const Token& name) const {
  const std::string_view word = text_.word(name);
  const std::optional<Span> function = text_.function_around(name.span.begin);
  const auto [known, is_new] =
      known_.try_emplace({word, function ? function->begin : text_.text().size()});
  if (!is_new) return known->second;  // also of a name that is on its way to itself
  std::optional<Tokens> value;
  if (function) value = declared(word, function);
  if (!value) value = declared(word, std::nullopt);
  if (!value) value = defined(word);
  return known_[known->first] = std::move(value);
}

// By "#define NAME ..." alone, outside of every #if.
std::optional<CValues::Tokens> CValues::defined(std::string_view name) const {
  std::optional<Tokens> found;
  int conditions = 0;
  const std::vector<Token>& tokens = text_.tokens();
  for (std::size_t k = 0; k + 1 < tokens.size(); ++k) {
    if (tokens[k].directive < 0 || text_.word(tokens[k]) != "#") continue;
    const std::string_view what = text_.word(tokens[k + 1]);
    if (what.starts_with("if")) ++conditions;
    if (what == "endif") --conditions;
    if ((what != "define" && what != "undef") || k + 2 >= tokens.size() ||
        tokens[k + 2].directive != tokens[k].directive || text_.word(tokens[k + 2]) != name)
      continue;
    if (what == "undef" || conditions != 0 || found) return std::nullopt;
    found.emplace();
    for (std::size_t j = k + 3; j < tokens.size() && tokens[j].directive == tokens[k].directive;
         ++j)
      found->push_back(tokens[j]);
    // A macro with parameters is no value.
    if (!found->empty() && text_.word(found->front()) == "(" &&
        found->front().span.begin == tokens[k + 2].span.end)
      return std::nullopt;
  }
  return found;
}

std::string_view CValues::code(std::size_t at) const {
  return at < text_.code().size() ? text_.word(text_.code()[at]) : std::string_view();
}

std::optional<CValues::Tokens> CValues::declared(std::string_view name,
                                                 const std::optional<Span>& function) const {
  std::optional<Tokens> found;
  for (const std::size_t use : text_.uses(name)) {
    const Token& token = text_.code()[use];
    if (function && (token.span.begin < function->begin || token.span.begin >= function->end))
      continue;
    const std::string_view before = use > 0 ? code(use - 1) : std::string_view();
    if (before == "." || before == "->") continue;  // a field of something
    const bool declares = use > 0 && text_.code()[use - 1].kind == Token::Kind::kName &&
                          before != "return" && before != "sizeof" && before != "else" &&
                          before != "case";
    if (!declares) {
      // int *name, and int a, name = 1.
      if (code(use + 1) == "=" && (before == "*" || before == ",")) return std::nullopt;
      if (may_change(use)) return std::nullopt;
      continue;
    }
    // Another one of the same name, in a function of its own.
    if (!function && text_.function_around(token.span.begin)) continue;
    // A second one, also a parameter, or one without a value: which is meant is not known here.
    if (found || code(use + 1) != "=" || !holds_values(before)) return std::nullopt;
    found.emplace();
    int depth = 0;
    for (std::size_t at = use + 2; at < text_.code().size(); ++at) {
      const std::string_view word = code(at);
      if (word == "{" || word == "(") ++depth;
      if (word == "}" || word == ")") --depth;
      if (depth == 0 && (word == ";" || word == ",")) break;
      found->push_back(text_.code()[at]);
    }
  }
  return found;
}

// Whether the use of a name could give it another value.
bool CValues::may_change(std::size_t use) const {
  const Token& token = text_.code()[use];
  std::size_t after = use + 1;
  while (code(after) == ".") after += 2;
  while (code(after) == "[") {
    while (after < text_.code().size() && code(after) != "]") ++after;
    ++after;
  }
  const std::string_view next = code(after);
  if (next == "++" || next == "--") return true;
  if (next.ends_with('=') && next != "==" && next != "!=" && next != "<=" && next != ">=")
    return true;
  const std::string_view before = use > 0 ? code(use - 1) : std::string_view();
  if (before == "++" || before == "--") return true;
  // "a & b" is no address.
  const std::string_view ahead = use > 1 ? code(use - 2) : std::string_view();
  const bool address = before == "&" && use > 1 && ahead != ")" && ahead != "]" &&
                       text_.code()[use - 2].kind != Token::Kind::kNumber &&
                       (text_.code()[use - 2].kind != Token::Kind::kName || ahead == "return");
  for (const WrittenCall& call : text_.calls()) {
    if (token.span.begin < call.open || token.span.end > call.end) continue;
    for (std::size_t k = 0; k < call.arguments.size(); ++k) {
      const Span& argument = call.arguments[k];
      if (token.span.begin < argument.begin || argument.end < token.span.end) continue;
      if (could_be_macro(text_.word(call.name))) return true;
      if (address && text_.code_in(argument).size() == 2)
        return !only_reads_(text_.word(call.name), k);
    }
  }
  return address;
}

}  // namespace tensorlane::lsp
