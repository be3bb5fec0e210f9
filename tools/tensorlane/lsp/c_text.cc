#include "lsp/c_text.h"

#include <algorithm>
#include <cctype>

namespace tensorlane::lsp {
namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool goes_on(char c) {
  return starts_name(c) || std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v';
}

// Behind the comment, text or character that begins at a place.
std::size_t past_prose(std::string_view text, std::size_t at) {
  if (text.substr(at, 2) == "/*") {
    const std::size_t end = text.find("*/", at + 2);
    return end == std::string_view::npos ? text.size() : end + 2;
  }
  const bool comment = text.substr(at, 2) == "//";
  const char quote = text[at];
  for (std::size_t k = at + 1; k < text.size(); ++k) {
    if (text[k] == '\\') {
      k += text.substr(k + 1, 2) == "\r\n" ? 2 : 1;
    } else if (text[k] == '\n') {
      return k;  // a text that is not closed ends here
    } else if (!comment && text[k] == quote) {
      return k + 1;
    }
  }
  return text.size();
}

bool begins_prose(std::string_view text, std::size_t at) {
  return text[at] == '"' || text[at] == '\'' || text.substr(at, 2) == "//" ||
         text.substr(at, 2) == "/*";
}

std::size_t mark_size(std::string_view rest) {
  constexpr std::string_view kLong[] = {"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                        "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                        "*=",  "/=",  "%=",  "&=", "|=", "^="};
  for (const std::string_view mark : kLong) {
    if (rest.starts_with(mark)) return mark.size();
  }
  return 1;
}

std::size_t past_number(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    const bool sign = (text[at] == '+' || text[at] == '-') &&
                      std::string_view("eEpP").find(text[at - 1]) != std::string_view::npos;
    if (!goes_on(text[at]) && text[at] != '.' && !sign) break;
    ++at;
  }
  return at;
}

}  // namespace

std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> tokens;
  int directives = 0, directive = -1;
  bool line_begins = true;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size() && (text[at + 1] == '\n' || text[at + 1] == '\r')) {
      at += text.substr(at + 1, 2) == "\r\n" ? 3 : 2;
      continue;
    }
    if (is_blank(c)) {
      if (c == '\n') {
        directive = -1;
        line_begins = true;
      }
      ++at;
      continue;
    }
    const std::size_t begin = at;
    Token::Kind kind = Token::Kind::kMark;
    if (begins_prose(text, at)) {
      at = past_prose(text, at);
      if (text[begin] == '/') continue;
      kind = Token::Kind::kText;
    } else if (starts_name(c)) {
      while (at < text.size() && goes_on(text[at])) ++at;
      kind = Token::Kind::kName;
    } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 ||
               (c == '.' && at + 1 < text.size() &&
                std::isdigit(static_cast<unsigned char>(text[at + 1])) != 0)) {
      at = past_number(text, at + 1);
      kind = Token::Kind::kNumber;
    } else {
      if (c == '#' && line_begins) directive = directives++;
      at += mark_size(text.substr(at));
    }
    line_begins = false;
    tokens.push_back({kind, {begin, at}, directive});
  }
  return tokens;
}

CText::CText(std::string_view text) : text_(text), tokens_(tokens_of(text)) {
  for (std::size_t k = 0; k < tokens_.size();) {
    if (tokens_[k].directive < 0) {
      if (tokens_[k].kind == Token::Kind::kName) uses_[word(tokens_[k])].push_back(code_.size());
      code_.push_back(tokens_[k++]);
      continue;
    }
    const std::size_t begin = k;
    while (k < tokens_.size() && tokens_[k].directive == tokens_[begin].directive) ++k;
    find_calls(std::span(tokens_).subspan(begin, k - begin), tokens_[k - 1].span.end);
  }
  // A call that is being typed reaches to the end of what there is.
  find_calls(code_, text_.size());
  std::ranges::sort(calls_, {}, [](const WrittenCall& call) { return call.name.begin; });
  find_functions();
}

// In the program itself, or in one line of the preprocessor.
void CText::find_calls(std::span<const Token> tokens, std::size_t reach) {
  struct Open {
    char mark;
    std::size_t call;  // of calls_; none for other parentheses and braces
  };
  constexpr std::size_t kNone = ~std::size_t{0};
  std::vector<Open> open;
  const auto end_argument = [&](std::size_t call, std::size_t at, bool last) {
    WrittenCall& written = calls_[call];
    const std::size_t begin =
        written.arguments.empty() ? written.open + 1 : written.arguments.back().end + 1;
    const bool blank = std::ranges::all_of(text_.substr(begin, at - begin), is_blank);
    if (!last || !written.arguments.empty() || !blank) written.arguments.push_back({begin, at});
  };
  const auto close = [&](std::size_t at, bool closed) {
    if (open.back().call != kNone) {
      end_argument(open.back().call, at, true);
      calls_[open.back().call].end = closed ? at + 1 : at;
      calls_[open.back().call].closed = closed;
    }
    open.pop_back();
  };
  const Token* before = nullptr;
  for (const Token& token : tokens) {
    const char mark = token.kind == Token::Kind::kMark ? text_[token.span.begin] : '\0';
    if (mark == '(') {
      const bool call = before != nullptr && before->kind == Token::Kind::kName;
      if (call) calls_.push_back({.name = before->span, .open = token.span.begin});
      open.push_back({mark, call ? calls_.size() - 1 : kNone});
    } else if (mark == '{' || mark == '[') {
      open.push_back({mark, kNone});
    } else if (mark == ')' || mark == ']') {
      const char opens = mark == ')' ? '(' : '[';
      if (!open.empty() && open.back().mark == opens) close(token.span.begin, true);
    } else if (mark == '}') {
      // What was left open inside the braces ends with them.
      const auto brace = std::ranges::find(open.rbegin(), open.rend(), '{', &Open::mark);
      if (brace != open.rend()) {
        while (open.back().mark != '{') close(token.span.begin, false);
        open.pop_back();
      }
    } else if (mark == ';') {
      while (!open.empty() && open.back().mark != '{') close(token.span.begin, false);
    } else if (mark == ',' && !open.empty() && open.back().call != kNone) {
      end_argument(open.back().call, token.span.begin, false);
    }
    before = &token;
  }
  while (!open.empty()) close(reach, false);
}

std::optional<Span> CText::name_at(std::size_t offset) const {
  for (const Token& token : tokens_) {
    if (token.span.begin > offset) break;
    if (token.kind == Token::Kind::kName && offset <= token.span.end) return token.span;
  }
  return std::nullopt;
}

bool CText::is_prose(std::size_t offset) const {
  for (std::size_t at = 0; at < text_.size() && at < offset;) {
    if (!begins_prose(text_, at)) {
      ++at;
      continue;
    }
    const std::size_t end = past_prose(text_, at);
    const bool line_comment = text_.substr(at, 2) == "//";
    if (offset < end || (offset == end && (line_comment || end == text_.size()))) return true;
    at = end;
  }
  return false;
}

const std::vector<std::size_t>& CText::uses(std::string_view name) const {
  static const std::vector<std::size_t> kNone;
  const auto found = uses_.find(name);
  return found == uses_.end() ? kNone : found->second;
}

std::vector<Token> CText::code_in(const Span& span) const {
  const auto begin = std::ranges::lower_bound(code_, span.begin, {},
                                              [](const Token& token) { return token.span.begin; });
  const auto end = std::find_if(begin, code_.end(),
                                [&](const Token& token) { return token.span.end > span.end; });
  return {begin, end};
}

void CText::find_functions() {
  int depth = 0;
  for (const Token& token : code_) {
    if (token.kind != Token::Kind::kMark) continue;
    const char mark = text_[token.span.begin];
    if (mark == '{' && depth++ == 0) functions_.push_back({token.span.begin, text_.size()});
    if (mark == '}' && depth > 0 && --depth == 0) functions_.back().end = token.span.end;
  }
}

std::optional<Span> CText::function_around(std::size_t offset) const {
  const auto after =
      std::ranges::upper_bound(functions_, offset, {}, [](const Span& span) { return span.begin; });
  if (after == functions_.begin() || offset >= (after - 1)->end) return std::nullopt;
  return *(after - 1);
}

}  // namespace tensorlane::lsp
