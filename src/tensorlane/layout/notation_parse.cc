// Texts of layouts, read: the short form here, the whole one by a descent over its brackets.
#include <algorithm>
#include <bit>
#include <cctype>
#include <limits>
#include <string>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/layout/notation.h"
#include "tensorlane/layout/notation_internal.h"

namespace tensorlane {
namespace notation_internal {
namespace {

constexpr std::int64_t kMostExtent = std::int64_t{1} << 31;
constexpr std::int64_t kMostDistance = std::int64_t{1} << 40;
constexpr std::string_view kKnownLetters = "NCDHWOIGMRKTL";

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_letter(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0;
}
char upper(char c) {
  return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
}

// The axes of a text that has no letters.
Axes usual_axes(std::size_t rank) {
  constexpr std::string_view kUsual[] = {"", "K", "RK", "CHW", "NCHW", "NCDHW"};
  return Axes(rank < std::size(kUsual) ? kUsual[rank] : std::string_view("ABCDEFGH", rank));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Written read() {
    Written result;
    composed(result);
    const std::size_t begin = (skip(), at_);
    std::string letters;
    while (is_letter(peek())) {
      const char letter = upper(peek());
      if (letters.find(letter) != std::string::npos) fail(msg("an axis that does not stand yet"));
      if (letters.size() == Layout::kMaxDims) fail(msg("at most eight axes"));
      letters += letter;
      ++at_;
    }
    result.dims = shape();
    if (!letters.empty() && letters.size() != result.dims.size())
      fail_at(text_, begin, msg("one letter for each axis of the shape"));
    result.axes = letters.empty() ? usual_axes(result.dims.size()) : Axes(letters);
    expect(':', msg("':' and the strides"));
    strides(result.dims);
    clauses(result);
    return result;
  }

 private:
  [[noreturn]] void fail(std::string_view expected) const { fail_at(text_, at_, expected); }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool take(char c) {
    skip();
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c, std::string_view what) {
    if (!take(c)) fail(what);
  }
  bool take_word(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    if (at_ + word.size() < text_.size() && is_letter(text_[at_ + word.size()])) return false;
    at_ += word.size();
    return true;
  }

  std::int64_t number(std::int64_t least, std::int64_t most, std::string_view what) {
    skip();
    if (peek() == '_') ++at_;  // CuTe's numbers that the compiler knows
    const std::size_t begin = at_;
    const bool negative = least < 0 && peek() == '-';
    if (negative) ++at_;
    if (!is_digit(peek())) fail(what);
    std::int64_t value = 0;
    for (; is_digit(peek()); ++at_) value = std::min(value * 10 + (peek() - '0'), most + 1);
    if (negative) value = -value;
    if (value < least || value > most || value < -most) fail_at(text_, begin, what);
    return value;
  }
  std::int64_t extent() { return number(1, kMostExtent, msg("an extent, 1 to 2^31")); }
  Distance distance(std::int64_t least) {
    if (least < 0 && take_word("npu")) return {1, Distance::Unit::kNpu};
    const std::int64_t count =
        least < 0
            ? number(-kMostDistance, kMostDistance, msg("a stride: elements, bytes with b, or npu"))
            : number(0, kMostDistance, msg("a number of elements, or of bytes with b"));
    if (peek() != 'b') return {count, Distance::Unit::kElement};
    ++at_;
    return {count, Distance::Unit::kByte};
  }

  // Digits in brackets, which may stand in each other: (4,(2,3)) has the digits of (4,2,3).
  void digits(std::vector<std::int64_t>& out) {
    if (!take('(')) {
      out.push_back(extent());
      return;
    }
    do {
      digits(out);
    } while (take(','));
    expect(')', msg("',' or ')'"));
  }
  WrittenAxis axis() {
    WrittenAxis dim;
    skip();
    dim.at = at_;
    digits(dim.extents);
    const std::size_t behind = at_;
    skip();
    if (peek() != '+' && !text_.substr(at_).starts_with("of")) {
      at_ = behind;
      return dim;
    }
    if (dim.extents.size() != 1) fail(msg("',' or ')'"));
    dim.count = dim.extents[0];
    dim.extents.clear();
    if (take('+')) dim.first = number(0, kMostExtent, msg("the place of the first index"));
    if (!take_word("of")) fail(msg("'of' and the digits"));
    digits(dim.extents);
    return dim;
  }
  std::vector<WrittenAxis> shape() {
    std::vector<WrittenAxis> dims;
    skip();
    if (!take('(')) {
      if (!is_digit(peek()) && peek() != '_') fail(msg("a shape in brackets"));
      dims.push_back(axis());
      return dims;
    }
    do {
      if (dims.size() == Layout::kMaxDims) fail(msg("at most eight axes"));
      dims.push_back(axis());
    } while (take(','));
    expect(')', msg("',' or ')'"));
    return dims;
  }

  void stride(WrittenAxis& dim) {
    if (!take('(')) {
      if (dim.strides.size() == dim.extents.size()) fail(msg("as many strides as digits"));
      dim.strides.push_back(distance(-1));
      return;
    }
    do {
      stride(dim);
    } while (take(','));
    expect(')', msg("',' or ')'"));
  }
  void strides_of(WrittenAxis& dim) {
    stride(dim);
    if (dim.strides.size() != dim.extents.size()) fail(msg("as many strides as digits"));
  }
  void strides(std::vector<WrittenAxis>& dims) {
    skip();
    if (dims.size() == 1 && peek() != '(') return strides_of(dims[0]);
    expect('(', msg("strides in brackets"));
    for (std::size_t d = 0; d < dims.size(); ++d) {
      if (d > 0) expect(',', msg("a stride for each axis"));
      strides_of(dims[d]);
    }
    expect(')', msg("')' behind the last axis"));
  }

  // Bits, lowest bit and distance, as swizzles have them.
  Swizzle swizzle() {
    skip();
    const std::size_t begin = at_;
    Swizzle out;
    out.bits = static_cast<std::int8_t>(number(0, 16, msg("the bits of a swizzle, 0 to 16")));
    expect(',', msg("',' and the lowest bit"));
    out.low = static_cast<std::int8_t>(number(0, 16, msg("the lowest bit, 0 to 16")));
    expect(',', msg("',' and the distance"));
    out.distance = static_cast<std::int8_t>(number(-16, 16, msg("a distance of 16 or less")));
    if (std::abs(out.distance) < out.bits)
      fail_at(text_, begin, msg("a swizzle whose distance is not below its bits"));
    return out;
  }
  // A place in shared memory that is not known yet, smem_ptr[16b](unset). The swizzle before it
  // counts bytes, the layout behind it elements of so many bits.
  void shared_memory(Swizzle& swizzle, std::size_t begin) {
    expect('[', msg("'[' and the bits of an element"));
    const std::int64_t bits = number(4, 128, msg("the bits of an element, 4 to 128"));
    if (!std::has_single_bit(static_cast<std::uint64_t>(bits)) || peek() != 'b')
      fail(msg("the bits of an element, 4 to 128"));
    ++at_;
    expect(']', msg("']'"));
    expect('(', msg("'(unset)'"));
    if (!take_word("unset")) fail(msg("'(unset)'"));
    expect(')', msg("'(unset)'"));
    swizzle.low = static_cast<std::int8_t>(swizzle.low + 3 -
                                           std::countr_zero(static_cast<std::uint64_t>(bits)));
    if (swizzle.low < 0 || swizzle.low > 16)
      fail_at(text_, begin, msg("a swizzle that keeps elements whole"));
  }
  // What CuTe puts before a layout: a swizzle and an offset, or an offset alone.
  void composed(Written& out) {
    skip();
    const std::size_t begin = at_;
    if (take_word("Sw") || take_word("S")) {
      if (peek() != '<') {
        at_ = begin;
        return;
      }
      ++at_;
      out.swizzle = swizzle();
      expect('>', msg("'>'"));
      if (!take_word("o")) fail(msg("'o' and an offset"));
      if (take_word("smem_ptr")) {
        shared_memory(out.swizzle, begin);
      } else {
        out.base = distance(0);
      }
      if (!take_word("o")) fail(msg("'o' and a layout"));
      return;
    }
    const std::size_t end = text_.find_first_not_of("_0123456789", at_);
    const std::string_view behind = end == std::string_view::npos ? "" : text_.substr(end);
    if (end == at_ || !behind.starts_with(" o ")) return;
    out.base = distance(0);
    take_word("o");
  }

  void clauses(Written& out) {
    for (skip(); at_ < text_.size(); skip()) {
      if (!out.base && take('+')) {
        out.base = distance(0);
      } else if (!out.size && take_word("size")) {
        out.size = distance(0);
      } else if (!out.swizzle && take_word("swizzle")) {
        out.swizzle = swizzle();
      } else if (out.image_width == 0 && take_word("image")) {
        out.image_width = extent();
        expect('x', msg("'x' and the height"));
        out.image_height = extent();
      } else {
        fail(msg("'+', 'size', 'image', 'swizzle' or the end"));
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

void fail_at(std::string_view text, std::size_t at, std::string_view expected) {
  const std::string found = at < text.size() ? "'" + std::string(1, text[at]) + "'" : tr("the end");
  user_error("layout '{}': character {} is {}; expected {}", text, at + 1, found,
             translated(expected));
}

std::optional<Written> parse_short(std::string_view text, bool why) {
  const auto none = [&](std::size_t at, std::string_view expected) -> std::optional<Written> {
    if (why) fail_at(text, at, expected);
    return std::nullopt;
  };
  const bool behind = !text.empty() && is_digit(text.back());  // where numbers stand
  Written result;
  std::string letters;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    std::int64_t extent = 0;
    const auto read_extent = [&] {
      for (; at < text.size() && is_digit(text[at]); ++at)
        extent = std::min(extent * 10 + (text[at] - '0'), kMostExtent);
    };
    if (!behind) read_extent();
    if (at == text.size() || !is_letter(text[at])) return none(at, msg("the letter of an axis"));
    const char letter = upper(text[at++]);
    if (behind) read_extent();
    const bool block = extent > 0 || is_digit(text[begin]);
    const std::size_t axis = letters.find(letter);
    if (block && extent == 0) return none(begin, msg("a block of 1 or more"));
    if (block == (axis == std::string::npos)) {
      return none(begin, block ? msg("an axis that stands before its blocks")
                               : msg("an axis that does not stand yet"));
    }
    if (result.blocks.size() == Layout::kMaxDigits) return none(begin, msg("at most 16 digits"));
    if (!block && letters.size() == Layout::kMaxDims) return none(begin, msg("at most eight axes"));
    if (!block) letters += letter;
    result.blocks.push_back({static_cast<int>(block ? axis : letters.size() - 1), extent});
  }
  if (letters.empty()) return none(0, msg("the letter of an axis"));
  result.axes = Axes(letters);
  return result;
}

Written parse_written(std::string_view text) {
  if (text.find_first_of("(:") == std::string_view::npos) return *parse_short(text, true);
  return Reader(text).read();
}

}  // namespace notation_internal

bool is_notation(std::string_view text) {
  using namespace notation_internal;
  if (text.find_first_of("(:") != std::string_view::npos) return true;
  const std::size_t number = text.find_first_of("0123456789");
  std::string letters;
  for (const char c : text.substr(0, number)) letters += upper(c);
  // oneDNN has A, B, C, ... for the axes of any tensor, in any order.
  const auto is_abstract = [&] {
    std::sort(letters.begin(), letters.end());  // emscripten's library has no std::ranges::sort
    return std::string_view("ABCDEFGH").starts_with(letters);
  };
  const bool known =
      letters.size() > 1 &&
      (letters.find_first_not_of(kKnownLetters) == std::string::npos || is_abstract());
  // All letters of axes and one mistake is a mistake in the notation; a word is a name.
  if (known && number != std::string_view::npos && letters.size() > 2) return true;
  const std::optional<Written> written = parse_short(text, false);
  return written && (known || number != std::string_view::npos);
}

Axes notation_axes(std::string_view text) {
  return notation_internal::parse_written(text).axes;
}

}  // namespace tensorlane
