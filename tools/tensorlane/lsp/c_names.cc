// What names stand for: declarations and definitions of the text, and what could change them.
#include "lsp/c_types.h"
#include "lsp/c_values.h"

namespace tensorlane::lsp {
namespace {

// A macro in capitals may do anything to what it is handed; assertions only look.
bool could_be_macro(std::string_view name) {
  return !name.ends_with("ASSERT") &&
         name.find_first_of("abcdefghijklmnopqrstuvwxyz") == std::string_view::npos;
}

}  // namespace

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
