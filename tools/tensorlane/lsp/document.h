// A text that the editor has open.
//
// The protocol counts lines from 0 and characters of a line in UTF-16 units: a Chinese character is
// one, one beyond the basic plane two. Here the text is UTF-8 and places in it are bytes.
#ifndef TENSORLANE_TOOLS_LSP_DOCUMENT_H_
#define TENSORLANE_TOOLS_LSP_DOCUMENT_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tensorlane::lsp {

struct Position {
  std::int64_t line = 0, character = 0;
  friend auto operator<=>(const Position&, const Position&) = default;
};
struct Range {
  Position start, end;
  friend bool operator==(const Range&, const Range&) = default;
};
// Bytes [begin, end) of a text.
struct Span {
  std::size_t begin = 0, end = 0;
};

class Document {
 public:
  explicit Document(std::string text);

  // Puts `text` in the place of `range`, of everything where there is none. Places past the end of
  // a line count as its end, lines past the end of the text as the end of the text; the ends of a
  // range may come in any order.
  void change(const std::optional<Range>& range, std::string_view text);

  const std::string& text() const { return text_; }
  std::int64_t line_count() const { return static_cast<std::int64_t>(lines_.size()); }
  // Without its end; empty where there is no such line.
  std::string_view line(std::int64_t number) const;

  std::size_t offset_of(const Position& position) const;
  Position position_of(std::size_t offset) const;
  Range range_of(const Span& span) const {
    return {position_of(span.begin), position_of(span.end)};
  }
  // What of a line is no blank: from its first character to its last.
  Range text_of_line(std::int64_t number) const;

 private:
  void find_lines();
  Span span_of_line(std::int64_t number) const;

  std::string text_;
  std::vector<std::size_t> lines_;  // where they begin; \n, \r\n and \r end one
};

// UTF-16 units of a text in UTF-8. Bytes that are no UTF-8 count as one each.
std::int64_t utf16_units(std::string_view text);

}  // namespace tensorlane::lsp

#endif  // TENSORLANE_TOOLS_LSP_DOCUMENT_H_
