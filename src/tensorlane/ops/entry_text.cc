#include "tensorlane/ops/entry_text.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <cctype>
#include <vector>

#include "tensorlane/base/language.h"

namespace tensorlane {
namespace {

bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}

// The text with {} for each number, and the numbers.
std::string take_numbers(std::string_view text, std::vector<std::string>& numbers) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_digit(text[at])) {
      result += text[at++];
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    numbers.emplace_back(text.substr(begin, at - begin));
    result += "{}";
  }
  return result;
}

}  // namespace

std::string cost_without_numbers(std::string_view english) {
  std::vector<std::string> numbers;
  return take_numbers(english, numbers);
}

std::string entry_text(std::string_view english) {
  if (const std::string_view whole = translated(english); whole != english)
    return std::string(whole);
  std::vector<std::string> numbers;
  const std::string key = take_numbers(english, numbers);
  const std::string_view text = translated(key);
  if (text == key) return std::string(english);
  fmt::dynamic_format_arg_store<fmt::format_context> values;
  for (const std::string& number : numbers) values.push_back(number);
  return fmt::vformat(text, values);
}

}  // namespace tensorlane
