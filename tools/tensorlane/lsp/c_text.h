// The source of a kernel as far as an editor needs it: words, calls, blocks. Nothing is compiled:
// what the preprocessor would make of it, and what types say, stays unknown.
#ifndef TENSORLANE_TOOLS_LSP_C_TEXT_H_
#define TENSORLANE_TOOLS_LSP_C_TEXT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lsp/document.h"

namespace tensorlane::lsp {

struct Token {
  enum class Kind : std::uint8_t { kName, kNumber, kText, kMark };
  Kind kind;
  Span span;
  int directive;  // the number of the line of the preprocessor it belongs to, from 0; -1: none
};

// Without comments. The marks that C has of two or three characters are one token.
std::vector<Token> tokens_of(std::string_view text);

// What stands between the parentheses of a call, as far as it has been typed.
struct WrittenCall {
  Span name;
  std::size_t open = 0;  // the parenthesis
  std::size_t end = 0;   // behind the last one, or where the call breaks off
  bool closed = false;
  std::vector<Span> arguments{};  // between the commas; blanks at their ends are theirs
};

class CText {
 public:
  explicit CText(std::string_view text);

  std::string_view text() const { return text_; }
  std::string_view word(const Token& token) const { return word(token.span); }
  std::string_view word(const Span& span) const {
    return text_.substr(span.begin, span.end - span.begin);
  }
  const std::vector<Token>& tokens() const { return tokens_; }
  // Those outside of lines of the preprocessor, and where a name stands among them.
  const std::vector<Token>& code() const { return code_; }
  const std::vector<std::size_t>& uses(std::string_view name) const;
  // Of everything that looks like a call, by the place of the name.
  const std::vector<WrittenCall>& calls() const { return calls_; }

  // The name that a place is in or at the end of.
  std::optional<Span> name_at(std::size_t offset) const;
  // Whether a place is inside a comment or a text.
  bool is_prose(std::size_t offset) const;
  // The tokens in a span, without those of the preprocessor.
  std::vector<Token> code_in(const Span& span) const;
  // From the brace that opens the function around a place to the one that closes it.
  std::optional<Span> function_around(std::size_t offset) const;

 private:
  void find_calls(std::span<const Token> tokens, std::size_t reach);
  void find_functions();

  std::string_view text_;
  std::vector<Token> tokens_, code_;
  std::unordered_map<std::string_view, std::vector<std::size_t>> uses_;
  std::vector<Span> functions_;
  std::vector<WrittenCall> calls_;
};

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_C_TEXT_H_
