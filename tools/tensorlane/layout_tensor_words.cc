#include "layout_tensor_words.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <span>

#include "layout_options.h"
#include "tensorlane/base/error.h"

namespace tensorlane::cli {
namespace {

std::int64_t number(std::string_view digits, const std::string& tensor, const std::string& word) {
  std::int64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error != std::errc() || stop != end || value < 0)
    user_error("TENSOR '{}': '{}' does not end in a number", tensor, word);
  return value;
}

bool is_dtype(const std::string& word) {
  try {
    parse_dtype(word);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

}  // namespace

std::vector<std::string> split_text(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t at = 0;
  for (std::size_t end; (end = text.find(separator, at)) != std::string::npos; at = end + 1)
    parts.push_back(text.substr(at, end - at));
  parts.push_back(text.substr(at));
  return parts;
}

std::optional<std::int64_t> parse_address(std::string_view text) {
  const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
  if (hexadecimal) text.remove_prefix(2);
  std::int64_t address = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, address, hexadecimal ? 16 : 10);
  if (error != std::errc() || stop != end || address < 0) return std::nullopt;
  return address;
}

TensorWords parse_tensor(const std::string& text, const TensorChip& chip) {
  const std::vector<std::string> words = split_text(text, ':');
  if (words.size() < 2 || words[0].empty())
    user_error("TENSOR '{}': expected NAME:SHAPE and more words, as in input:4,64,28,28:x2", text);
  LayoutOptions layout;
  layout.chip = chip.chip;
  layout.npus = chip.npus;
  layout.npu_bytes = chip.npu_bytes;
  layout.layout = layout_names::kAligned;
  layout.shape = words[1];
  TensorWords tensor{{.name = words[0], .spec = {}}, {}};
  for (const std::string& word : std::span(words).subspan(2)) {
    if (word == "whole") {
      tensor.planned.whole = true;
    } else if (word.size() > 1 && word[0] == 'x' && std::isdigit(word[1]) != 0 && !is_dtype(word)) {
      tensor.planned.buffers =
          static_cast<int>(std::min<std::int64_t>(1000, number(word.substr(1), text, word)));
    } else if (word.starts_with("cols=")) {
      layout.cols_per_channel = number(word.substr(5), text, word);
    } else if (word.starts_with("start=")) {
      layout.start_npu = number(word.substr(6), text, word);
    } else if (word.starts_with("@")) {
      tensor.address = parse_address(std::string_view(word).substr(1));
      if (!tensor.address) user_error("TENSOR '{}': '{}' does not end in a number", text, word);
    } else if (is_dtype(word)) {
      layout.dtype = word;
    } else {
      const LayoutInfo& info = find_layout(find_owner(chip.chip).system, word);
      layout.layout = info.written ? word : std::string(info.name);
    }
  }
  if (tensor.address && find_owner(chip.chip).chip != nullptr) {
    LayoutOptions plain = layout;
    plain.start_npu = 0;
    if (make_layout(plain.spec()).is_local()) {
      layout.address = tensor.address;
    } else {
      layout.offset = *tensor.address;
    }
  } else if (tensor.address) {
    layout.offset = *tensor.address;
  }
  tensor.planned.spec = layout.spec();
  return tensor;
}

}  // namespace tensorlane::cli
