#include "lsp/document.h"

#include <algorithm>
#include <utility>

namespace tensorlane::lsp {
namespace {

struct Character {
  std::size_t bytes;
  std::int64_t units;
};

// The character at the front of a text that is not empty.
Character character_at_front(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t bytes = first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (bytes > text.size()) return {1, 1};
  for (std::size_t k = 1; k < bytes; ++k) {
    if ((static_cast<unsigned char>(text[k]) & 0xc0) != 0x80) return {1, 1};
  }
  return {bytes, bytes == 4 ? 2 : 1};
}

}  // namespace

std::int64_t utf16_units(std::string_view text) {
  std::int64_t units = 0;
  while (!text.empty()) {
    const Character next = character_at_front(text);
    units += next.units;
    text.remove_prefix(next.bytes);
  }
  return units;
}

Document::Document(std::string text) : text_(std::move(text)) {
  find_lines();
}

void Document::find_lines() {
  lines_ = {0};
  for (std::size_t at = 0; at < text_.size(); ++at) {
    if (text_[at] == '\n' ||
        (text_[at] == '\r' && (at + 1 == text_.size() || text_[at + 1] != '\n')))
      lines_.push_back(at + 1);
  }
}

Span Document::span_of_line(std::int64_t number) const {
  if (number < 0 || number >= line_count()) return {text_.size(), text_.size()};
  const auto at = static_cast<std::size_t>(number);
  Span span{lines_[at], at + 1 < lines_.size() ? lines_[at + 1] : text_.size()};
  while (span.end > span.begin && (text_[span.end - 1] == '\n' || text_[span.end - 1] == '\r'))
    --span.end;
  return span;
}

std::string_view Document::line(std::int64_t number) const {
  const Span span = span_of_line(number);
  return std::string_view(text_).substr(span.begin, span.end - span.begin);
}

std::size_t Document::offset_of(const Position& position) const {
  if (position.line < 0) return 0;
  const Span span = span_of_line(position.line);
  std::string_view rest = line(position.line);
  std::int64_t left = position.character;
  while (!rest.empty()) {
    const Character next = character_at_front(rest);
    if (left < next.units) break;  // in the middle of a pair counts as before it
    left -= next.units;
    rest.remove_prefix(next.bytes);
  }
  return span.end - rest.size();
}

Position Document::position_of(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto after = std::ranges::upper_bound(lines_, offset);
  const std::int64_t number = after - lines_.begin() - 1;
  const Span span = span_of_line(number);
  const std::size_t end = std::min(offset, span.end);
  return {number, utf16_units(std::string_view(text_).substr(span.begin, end - span.begin))};
}

Range Document::text_of_line(std::int64_t number) const {
  Span span = span_of_line(number);
  const auto blank = [&](std::size_t at) { return text_[at] == ' ' || text_[at] == '\t'; };
  while (span.begin < span.end && blank(span.begin)) ++span.begin;
  while (span.begin < span.end && blank(span.end - 1)) --span.end;
  return range_of(span);
}

void Document::change(const std::optional<Range>& range, std::string_view text) {
  if (range) {
    const std::size_t a = offset_of(range->start), b = offset_of(range->end);
    text_.replace(std::min(a, b), std::max(a, b) - std::min(a, b), text);
  } else {
    text_ = text;
  }
  find_lines();
}

}  // namespace tensorlane::lsp
