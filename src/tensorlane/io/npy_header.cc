#include <fmt/ranges.h>

#include <limits>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/npy_internal.h"

namespace tensorlane::io_internal {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// Reads the one Python literal that a header is: a dict of three known keys.
class LiteralParser {
 public:
  LiteralParser(std::string_view text, std::string_view where) : text_(text), where_(where) {}

  NpyHeader parse() {
    NpyHeader header;
    bool has_descr = false;
    bool has_order = false;
    bool has_shape = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        once(has_descr, key);
        header.type.spelling = descr();
      } else if (key == "fortran_order") {
        once(has_order, key);
        header.fortran_order = boolean();
      } else if (key == "shape") {
        once(has_shape, key);
        header.shape = tuple();
      } else {
        damaged("unknown key '{}'", key);
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_space();
    if (position_ != text_.size()) damaged("text after the closing brace");
    if (!has_descr || !has_order || !has_shape) {
      damaged("key '{}' is missing", !has_descr ? "descr" : !has_order ? "fortran_order" : "shape");
    }
    return header;
  }

 private:
  template <class... Args>
  [[noreturn]] void damaged(fmt::format_string<Args...> format, Args&&... args) {
    user_error("{}: bad npy header at character {}: {}", where_, position_,
               printable(tr(format, std::forward<Args>(args)...)));
  }

  void once(bool& seen, std::string_view key) {
    if (seen) damaged("key '{}' appears twice", key);
    seen = true;
  }

  void skip_space() {
    while (position_ < text_.size() && (text_[position_] == ' ' || text_[position_] == '\n' ||
                                        text_[position_] == '\t' || text_[position_] == '\r')) {
      ++position_;
    }
  }

  bool accept(char c) {
    skip_space();
    if (position_ >= text_.size() || text_[position_] != c) return false;
    ++position_;
    return true;
  }

  void expect(char c) {
    if (!accept(c)) {
      damaged("'{}' expected, found '{}'", c, text_.substr(position_, 8));
    }
  }

  std::string string() {
    skip_space();
    const char quote = accept('"') ? '"' : '\'';
    if (quote == '\'') expect('\'');
    const std::size_t end = text_.find(quote, position_);
    if (end == std::string_view::npos) damaged("a string does not end");
    const std::string_view value = text_.substr(position_, end - position_);
    if (value.find('\\') != std::string_view::npos) damaged("a string with escapes");
    position_ = end + 1;
    return std::string(value);
  }

  std::string descr() {
    skip_space();
    if (position_ < text_.size() && (text_[position_] == '[' || text_[position_] == '(')) {
      damaged("structured element types are not supported; save each field as an array of its own");
    }
    return string();
  }

  bool boolean() {
    skip_space();
    const std::string_view rest = text_.substr(position_);
    if (rest.starts_with("True")) {
      position_ += 4;
      return true;
    }
    if (!rest.starts_with("False")) damaged("True or False expected");
    position_ += 5;
    return false;
  }

  std::int64_t integer() {
    skip_space();
    const bool negative = accept('-');
    const std::size_t start = position_;
    std::int64_t value = 0;
    while (position_ < text_.size() && text_[position_] >= '0' && text_[position_] <= '9') {
      const int digit = text_[position_] - '0';
      if (value > (std::numeric_limits<std::int64_t>::max() - digit) / 10) {
        damaged("an extent is above 2^63");
      }
      value = value * 10 + digit;
      ++position_;
    }
    if (position_ == start) damaged("an integer expected");
    // Python 2 wrote long integers with this suffix.
    if (position_ < text_.size() && text_[position_] == 'L') ++position_;
    return negative ? -value : value;
  }

  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == kMaxRank) damaged("more than {} dimensions", kMaxRank);
      shape.push_back(integer());
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view text_;
  std::string_view where_;
  std::size_t position_ = 0;
};

// Fills in what the text of a descr, like "<f4", means.
void interpret_descr(StoredType& type, std::string_view where) {
  using Kind = StoredType::Kind;
  const std::string_view text = type.spelling;
  const std::string_view digits = text.size() > 2 ? text.substr(2) : std::string_view();
  // Dates, unicode strings and the like: known to NumPy, of no use here.
  const bool plain = !digits.empty() && digits.size() <= 2 &&
                     digits.find_first_not_of("0123456789") == std::string_view::npos;
  const auto reject = [&] {
    user_error("{}: element type '{}' is not supported; use a plain number type such as '<f4'",
               where, printable(text));
  };
  if (!plain || std::string_view("<>|=").find(text[0]) == std::string_view::npos) reject();
  type.bytes = digits.size() == 1 ? digits[0] - '0' : (digits[0] - '0') * 10 + (digits[1] - '0');
  type.big_endian = text[0] == '>';
  switch (text[1]) {
    case 'f':
      type.kind = Kind::kFloat;
      if (type.bytes == 4) type.dtype = Dtype::kFp32;
      if (type.bytes == 2) type.dtype = Dtype::kFp16;
      break;
    case 'i':
      type.kind = Kind::kSigned;
      if (type.bytes == 1) type.dtype = Dtype::kInt8;
      if (type.bytes == 2) type.dtype = Dtype::kInt16;
      if (type.bytes == 4) type.dtype = Dtype::kInt32;
      break;
    case 'u':
      type.kind = Kind::kUnsigned;
      if (type.bytes == 1) type.dtype = Dtype::kUint8;
      if (type.bytes == 2) type.dtype = Dtype::kUint16;
      if (type.bytes == 4) type.dtype = Dtype::kUint32;
      break;
    case 'V':
      type.kind = Kind::kRaw;
      break;
    default:
      break;
  }
  // Booleans and complex numbers are plain, but no dtype: the reader says so.
  const bool known = type.kind != Kind::kOther || text[1] == 'b' || text[1] == 'c';
  if (!known || type.bytes == 0) reject();
}

std::string_view descr_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::kFp32:
      return "<f4";
    case Dtype::kFp16:
      return "<f2";
    case Dtype::kInt32:
      return "<i4";
    case Dtype::kInt16:
      return "<i2";
    case Dtype::kInt8:
    case Dtype::kInt4:
      return "|i1";
    default:  // the bits as a whole number
      return dtype_bits(dtype) == 32 ? "<u4" : dtype_bits(dtype) == 16 ? "<u2" : "|u1";
  }
}

}  // namespace

std::uint64_t npy_header_bytes(std::span<const std::byte> prefix, std::string_view where) {
  const std::string_view text = as_text(prefix);
  if (!text.starts_with(kMagic)) {
    user_error("{}: not a npy array: it does not begin with \\x93NUMPY", where);
  }
  if (prefix.size() < 10) user_error("{}: cut short within the npy header", where);
  const auto version = static_cast<int>(prefix[6]);
  if (version < 1 || version > 3) {
    user_error("{}: npy format version {}.{}; versions 1.0, 2.0 and 3.0 are known", where, version,
               static_cast<int>(prefix[7]));
  }
  if (version == 1) return 10 + load_le(prefix, 8, 2);
  if (prefix.size() < 12) user_error("{}: cut short within the npy header", where);
  return 12 + load_le(prefix, 8, 4);
}

NpyHeader parse_npy_header(std::span<const std::byte> header, std::string_view where) {
  const std::size_t start = static_cast<int>(header[6]) == 1 ? 10 : 12;
  NpyHeader parsed = LiteralParser(as_text(header.subspan(start)), where).parse();
  interpret_descr(parsed.type, where);
  const auto count = static_cast<std::uint64_t>(element_count(parsed.shape, where));
  parsed.header_bytes = header.size();
  // Elements have at most 99 bytes, so the product can pass 2^63 where the count alone does not.
  const auto bytes = static_cast<std::uint64_t>(parsed.type.bytes);
  if (count > (std::uint64_t{1} << 62) / bytes) {
    user_error("{}: shape {} is too large", where, shape_text(parsed.shape));
  }
  parsed.data_bytes = count * bytes;
  return parsed;
}

void check_npy_size(const NpyHeader& header, std::uint64_t total, std::string_view where) {
  const std::uint64_t present = total - header.header_bytes;
  if (header.data_bytes == present) return;
  user_error("{}: {} '{}' of shape {} takes {} bytes, but {} follow the header", where,
             header.data_bytes > present ? tr("cut short:") : tr("unexpected bytes at the end:"),
             header.type.spelling, shape_text(header.shape), header.data_bytes, present);
}

std::vector<std::byte> make_npy_header(Dtype dtype, std::span<const std::int64_t> shape) {
  const std::string_view comma = shape.size() == 1 ? "," : "";
  const std::string text =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", descr_of(dtype),
                  fmt::join(shape, ", "), comma);
  // The header ends with a newline and fills up to a multiple of 64. 64 extents always fit 1.0.
  const std::size_t total = (10 + text.size() + 1 + 63) / 64 * 64;
  std::vector<std::byte> header;
  for (char c : kMagic) header.push_back(static_cast<std::byte>(c));
  header.push_back(std::byte{1});
  header.push_back(std::byte{0});
  append_le(header, total - 10, 2);
  for (char c : text) header.push_back(static_cast<std::byte>(c));
  header.resize(total - 1, std::byte{' '});
  header.push_back(std::byte{'\n'});
  return header;
}

}  // namespace tensorlane::io_internal
