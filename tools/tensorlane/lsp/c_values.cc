#include "lsp/c_values.h"

#include <cstdlib>

#include "lsp/c_types.h"

namespace tensorlane::lsp {
namespace {

std::string_view without_blanks(std::string_view text) {
  while (!text.empty() && std::string_view(" \t\r\n").find(text.front()) != std::string_view::npos)
    text.remove_prefix(1);
  while (!text.empty() && std::string_view(" \t\r\n").find(text.back()) != std::string_view::npos)
    text.remove_suffix(1);
  return text;
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

}  // namespace

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
        if (const auto value = enumerator_(type, whole)) return Json(*value);
      }
      [[fallthrough]];
    case ArgKind::kLocalAddress:
    case ArgKind::kSystemAddress: {
      const std::optional<std::int64_t> value = number(tokens);
      return value && keeps(type, *value) ? std::optional(Json(*value)) : std::nullopt;
    }
    case ArgKind::kFloat: {
      if (const auto value = number(tokens)) return Json(*value);
      const bool minus = tokens.size() == 2 && text_.word(tokens[0]) == "-";
      if (tokens.size() != (minus ? 2U : 1U) || tokens.back().kind != Token::Kind::kNumber)
        return std::nullopt;
      std::string digits(text_.word(tokens.back()));
      while (digits.ends_with('f') || digits.ends_with('F')) digits.pop_back();
      char* end = nullptr;
      const double real = std::strtod(digits.c_str(), &end);
      return *end == '\0' ? std::optional(Json(minus ? -real : real)) : std::nullopt;
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
    const std::optional<std::int64_t> value = number(braces.subspan(begin, at - begin));
    if (!value || !is_int(*value)) return std::nullopt;
    values[static_cast<std::size_t>(place++)] = *value;
    begin = at + 1;
  }
  return values;
}

}  // namespace tensorlane::lsp
