#include "tensorlane/json/toml.h"

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"

namespace tensorlane {
namespace {

bool is_bare(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  const std::uint32_t head = more == 1 ? 0xc0 : more == 2 ? 0xe0 : 0xf0;
  out += static_cast<char>(head | code >> (6 * more));
  for (int k = more - 1; k >= 0; --k) out += static_cast<char>(0x80 | (code >> (6 * k) & 0x3f));
}

class TomlReader {
 public:
  TomlReader(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  Json read() {
    if (text_.starts_with("\xef\xbb\xbf")) at_ = 3;
    Json root = table();
    std::vector<std::string> inside;
    for (skip_lines(); at_ < text_.size(); skip_lines()) {
      if (peek() == '[') {
        inside = open_table(root);
      } else {
        member(find_table(root, inside));
      }
      end_of_line();
    }
    return root;
  }

 private:
  static constexpr int kMostOpen = 50;

  [[noreturn]] void fail(std::string_view expected) const { fail_at(at_, expected); }
  [[noreturn]] void fail_at(std::size_t at, std::string_view expected) const {
    const std::size_t start = text_.substr(0, at).rfind('\n') + 1;  // npos + 1 is 0
    const std::size_t column = at - start;
    std::string found = tr("the end of the file");
    if (at < text_.size() && text_[at] == '\n') {
      found = tr("the end of the line");
    } else if (at < text_.size()) {
      const auto code = static_cast<unsigned char>(text_[at]);
      const std::size_t length = code < 0x80 ? 1 : code < 0xe0 ? 2 : code < 0xf0 ? 3 : 4;
      const std::string_view character = text_.substr(at, length);
      const bool whole =
          code < 0x80 || (code >= 0xc2 && code < 0xf5 && character.size() == length &&
                          std::ranges::all_of(character.substr(1), [](char c) {
                            return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
                          }));
      found = code < ' ' || code == 0x7f || !whole ? fmt::format("\\x{:02x}", code)
                                                   : fmt::format("'{}'", character);
    }
    user_error("{}, line {}, character {}: found {}; expected {}", where_, line_of(at), column + 1,
               found, translated(expected));
  }
  std::int64_t line_of(std::size_t at) const {
    return 1 + std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t') ++at_;
  }
  void skip_comment() {
    if (peek() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
  }
  // Blanks, comments and ends of lines.
  void skip_lines() {
    while (true) {
      skip_blanks();
      skip_comment();
      if (peek() == '\r' && at_ + 1 < text_.size() && text_[at_ + 1] == '\n') ++at_;
      if (!take('\n')) return;
    }
  }
  void end_of_line() {
    skip_blanks();
    skip_comment();
    if (peek() == '\r') ++at_;
    if (at_ < text_.size() && !take('\n')) fail(msg("the end of the line"));
  }

  Json table() const { return table_at(at_); }
  Json table_at(std::size_t at) const {
    Json made = Json::object();
    made[""] = line_of(at);
    return made;
  }

  std::string key() {
    if (peek() == '"' || peek() == '\'') {
      const std::size_t start = at_;
      std::string name = quoted();
      if (name.empty()) fail_at(start, msg("a name"));
      return name;
    }
    const std::size_t start = at_;
    while (is_bare(peek())) ++at_;
    if (at_ == start) fail(msg("a name"));
    return std::string(text_.substr(start, at_ - start));
  }

  // "[name]" or "[[name]]": the way to the table whose members follow.
  std::vector<std::string> open_table(Json& root) {
    const std::size_t start = at_;
    ++at_;
    const bool list = take('[');
    std::vector<std::string> names;
    do {
      skip_blanks();
      names.push_back(key());
      skip_blanks();
    } while (take('.') && names.size() < kMostOpen);
    if (!take(']') || (list && !take(']'))) fail(msg("']'"));
    const std::vector<std::string> above(names.begin(), names.end() - 1);
    Json& parent = find_table(root, above);
    if (list) {
      Json& tables = parent[names.back()];
      if (tables.is_null()) tables = Json::array();
      if (!tables.is_array()) fail_at(start, msg("a name that no other table has"));
      tables.push_back(table_at(start));
    } else {
      if (parent.contains(names.back())) fail_at(start, msg("a name that no other table has"));
      parent[names.back()] = table_at(start);
    }
    return names;
  }
  // Of a list of tables the last one.
  Json& find_table(Json& root, const std::vector<std::string>& names) {
    Json* at = &root;
    for (const std::string& name : names) {
      at = &(*at)[name];
      if (at->is_null()) *at = table();
      if (at->is_array() && !at->empty()) at = &(*at)[at->size() - 1];
      if (!at->is_object()) fail(msg("a name that no other table has"));
    }
    return *at;
  }

  void member(Json& into) {
    const std::size_t start = at_;
    std::string name = key();
    skip_blanks();
    if (!take('=')) fail(msg("'='"));
    skip_blanks();
    if (into.contains(name)) fail_at(start, msg("a name that is not there yet"));
    Json read = value(0);
    into[name] = std::move(read);
  }

  Json value(int open) {
    if (open > kMostOpen) fail(msg("fewer lists in one another"));
    const char c = peek();
    if (c == '"' || c == '\'') return quoted();
    if (c == '[') return list(open);
    if (c == '{') return braces();
    if (word("true")) return true;
    if (word("false")) return false;
    if ((c >= '0' && c <= '9') || c == '+' || c == '-') return number();
    fail(msg("a value: a text in quotes, a number, true, false or a list"));
  }
  bool word(std::string_view wanted) {
    if (!text_.substr(at_).starts_with(wanted)) return false;
    at_ += wanted.size();
    return true;
  }

  Json list(int open) {
    ++at_;
    Json values = Json::array();
    for (skip_lines(); !take(']'); skip_lines()) {
      values.push_back(value(open + 1));
      skip_lines();
      if (!take(',') && peek() != ']') fail(msg("',' or ']'"));
    }
    return values;
  }
  Json braces() {
    ++at_;
    Json values = table();
    for (skip_blanks(); !take('}'); skip_blanks()) {
      member(values);
      skip_blanks();
      if (!take(',') && peek() != '}') fail(msg("',' or '}'"));
    }
    return values;
  }

  Json number() {
    const std::size_t start = at_;
    while (is_bare(peek()) || peek() == '+' || peek() == '.') ++at_;
    std::string digits(text_.substr(start, at_ - start));
    std::erase(digits, '_');
    const bool minus = digits.starts_with('-');
    const char* first = digits.data() + (minus || digits.starts_with('+') ? 1 : 0);
    const char* const last = digits.data() + digits.size();
    int base = 10;
    for (const auto& [mark, wide] : {std::pair("0x", 16), {"0o", 8}, {"0b", 2}}) {
      if (std::string_view(first, last).starts_with(mark)) base = wide;
    }
    std::int64_t whole = 0;
    const auto [end, error] = std::from_chars(first + (base == 10 ? 0 : 2), last, whole, base);
    if (error == std::errc() && end == last) return minus ? -whole : whole;
    double real = 0;
    const auto [stop, wrong] = std::from_chars(first, last, real);
    if (wrong != std::errc() || stop != last || base != 10) fail_at(start, msg("a number"));
    return minus ? -real : real;
  }

  std::string quoted() {
    const char quote = peek();
    const std::size_t start = at_++;
    std::string out;
    while (peek() != quote) {
      if (at_ >= text_.size() || peek() == '\n')
        fail_at(start, msg("a text that ends in its line"));
      if (quote == '"' && take('\\')) {
        escape(out);
      } else {
        out += text_[at_++];
      }
    }
    ++at_;
    if (out.empty() && peek() == quote) fail_at(start, msg("a text in one line"));
    return out;
  }
  void escape(std::string& out) {
    constexpr std::string_view kFrom = "btnfre\"\\", kTo = "\b\t\n\f\r\x1b\"\\";
    const char c = peek();
    if (const std::size_t k = kFrom.find(c); c != '\0' && k != std::string_view::npos) {
      out += kTo[k];
      ++at_;
      return;
    }
    const std::size_t digits = c == 'u' ? 4 : c == 'U' ? 8 : 0;
    std::uint32_t code = 0;
    const std::string_view hex = text_.substr(std::min(at_ + 1, text_.size()), digits);
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), code, 16);
    if (digits == 0 || hex.size() != digits || error != std::errc() || end != hex.data() + digits ||
        code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
      fail(msg("an escape: \\n, \\t, \\\", \\\\, \\uXXXX, ..."));
    append_utf8(out, code);
    at_ += 1 + digits;
  }

  std::string_view text_, where_;
  std::size_t at_ = 0;
};

}  // namespace

Json parse_toml(std::string_view text, std::string_view where) {
  return TomlReader(text, where).read();
}

}  // namespace tensorlane
