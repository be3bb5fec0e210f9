// What arguments are, where the text alone says so: numbers, sums of numbers, structures written
// down in place, and names that stand for such a thing and nothing else.
//
// A name counts where it is declared once, with such a value, in the function around the place or
// outside of all functions, or by one #define that no #if surrounds, and nothing in its reach could
// change it: no assignment to it or a field, no ++, no address of it but for parameters that only
// read. Everything else is unknown; nothing is guessed.
#ifndef TENSORLANE_TOOLS_LSP_C_VALUES_H_
#define TENSORLANE_TOOLS_LSP_C_VALUES_H_

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lsp/c_text.h"
#include "tensorlane/json/json.h"
#include "tensorlane/ops/args.h"

namespace tensorlane::lsp {

class CValues {
 public:
  // Whether a function only reads what the parameter of this number, from 0, points to.
  using OnlyReads = std::function<bool(std::string_view function, std::size_t parameter)>;
  // The number of an enumerator that a type of the interface has, such as DT_FP32.
  using Enumerator =
      std::function<std::optional<std::int64_t>(const ArgType& type, std::string_view name)>;

  CValues(const CText& text, OnlyReads only_reads, Enumerator enumerator)
      : text_(text), only_reads_(std::move(only_reads)), enumerator_(std::move(enumerator)) {}

  // The argument in the form that recorded calls have it (recording/recorded_args.h); nothing where
  // the text does not say.
  std::optional<Json> argument(const ArgType& type, const Span& span) const;

 private:
  class Parser;
  using Tokens = std::vector<Token>;

  // Of an expression; `depth` counts the names on the way to it.
  std::optional<std::int64_t> number(std::span<const Token> tokens, int depth = 0) const;
  std::optional<Json> structure(const ArgType& type, std::span<const Token> tokens) const;
  std::optional<std::vector<std::int64_t>> fields(const ArgType& type,
                                                  std::span<const Token> braces) const;
  // What a name stands for: the tokens behind "=", or of the #define.
  const std::optional<Tokens>& value_of_name(const Token& name) const;
  std::optional<Tokens> defined(std::string_view name) const;
  // In a function, or, without one, outside of all.
  std::optional<Tokens> declared(std::string_view name, const std::optional<Span>& function) const;
  bool may_change(std::size_t use) const;
  std::string_view code(std::size_t at) const;

  const CText& text_;
  OnlyReads only_reads_;
  Enumerator enumerator_;
  // By name and the place of the function around it.
  mutable std::map<std::pair<std::string_view, std::size_t>, std::optional<Tokens>> known_;
};

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_C_VALUES_H_
