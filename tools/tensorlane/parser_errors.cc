#include "parser_errors.h"

#include <fmt/format.h>

#include <array>
#include <regex>
#include <string_view>

#include "tensorlane/base/language.h"

namespace tensorlane::cli {
namespace {

// The parser composes its texts itself: their values are read out of them, and said in words that
// lead to the repair.
struct Form {
  const char* pattern;
  std::string_view text;
};
constexpr Form kForms[] = {
    {"(.+) is required", msg("{} is required")},
    {"(.+): (?:\\d+) required (.+) missing", msg("{} needs a value: {}")},
    {"(.+): Value (.+) not in range (.+) to (.+)", msg("{} {}: allowed are {} to {}")},
    {"(.+): (.+) not in \\{(.+)\\}", msg("{} '{}': there are {}")},
    {"(.+): At Most (\\d+) required but received (\\d+)",
     msg("{}: At Most {} required but received {}")},
    {"(.+): At Least (\\d+) required but received (\\d+)",
     msg("{}: At Least {} required but received {}")},
    {"(.+) excludes (.+)", msg("{} excludes {}")},
    {"Could not convert: (.+) = (.*)", msg("{} '{}': it must be a number")},
};

}  // namespace

std::string parser_error_text(const std::string& english) {
  for (const Form& form : kForms) {
    std::smatch found;
    if (!std::regex_match(english, found, std::regex(form.pattern))) continue;
    std::array<std::string, 4> values;
    for (std::size_t k = 1; k < found.size(); ++k) values[k - 1] = found[k];
    return fmt::vformat(translated(form.text),
                        fmt::make_format_args(values[0], values[1], values[2], values[3]));
  }
  return english;
}

}  // namespace tensorlane::cli
