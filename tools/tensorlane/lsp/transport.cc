#include "lsp/transport.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "tensorlane/base/language.h"

namespace tensorlane::lsp {
namespace {

constexpr std::size_t kLongestLine = 4096;

// The value of the header field Content-Length, whose name is the same in upper and lower case.
bool is_length_field(std::string_view line) {
  constexpr std::string_view kName = "content-length:";
  return line.size() > kName.size() &&
         std::ranges::equal(line.substr(0, kName.size()), kName, {}, [](char c) {
           return static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
         });
}

std::optional<std::size_t> length_in(std::string_view line) {
  line.remove_prefix(line.find(':') + 1);
  while (line.starts_with(' ') || line.starts_with('\t')) line.remove_prefix(1);
  while (line.ends_with(' ') || line.ends_with('\t')) line.remove_suffix(1);
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), length);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return length;
}

}  // namespace

// A line of the header without its end. Of one that is too long what is left of it is lost, so that
// a stream of anything cannot fill the memory.
std::optional<std::string> Reader::line() {
  std::string line;
  for (int c = std::getc(in_); c != EOF; c = std::getc(in_)) {
    if (c == '\n') {
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (line.size() < kLongestLine) line += static_cast<char>(c);
  }
  return std::nullopt;
}

bool Reader::skip(std::size_t bytes) {
  std::array<char, 65536> nowhere{};
  while (bytes > 0) {
    const std::size_t got = std::fread(nowhere.data(), 1, std::min(bytes, nowhere.size()), in_);
    if (got == 0) return false;
    bytes -= got;
  }
  return true;
}

std::optional<Received> Reader::next() {
  std::optional<std::size_t> length;
  bool wrong = false, any = false;
  for (;;) {
    const std::optional<std::string> field = line();
    if (!field) return std::nullopt;
    if (field->empty()) {
      if (!any) continue;  // blank lines between messages
      break;
    }
    any = true;
    if (is_length_field(*field)) {
      length = length_in(*field);
      wrong = wrong || !length;
    }
  }
  if (wrong || !length)
    return Received{tr("the header of a message has no Content-Length that is a number"), true};
  if (*length > kLongest) {
    if (!skip(*length)) return std::nullopt;
    return Received{tr("a message has {} bytes; at most {} are read", *length, kLongest), true};
  }
  Received received{std::string(*length, '\0')};
  if (std::fread(received.text.data(), 1, *length, in_) != *length) return std::nullopt;
  return received;
}

void Writer::write(const Json& message) {
  const std::string text = message.dump();
  const std::string header = fmt::format("Content-Length: {}\r\n\r\n", text.size());
  const std::lock_guard lock(mutex_);
  std::fwrite(header.data(), 1, header.size(), out_);
  std::fwrite(text.data(), 1, text.size(), out_);
  std::fflush(out_);
}

}  // namespace tensorlane::lsp
