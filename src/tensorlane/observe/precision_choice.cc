#include "tensorlane/observe/precision_choice.h"

#include <algorithm>
#include <charconv>
#include <memory>
#include <sstream>
#include <utility>
#include <vector>

#include "tensorlane/base/error.h"
#include "tensorlane/observe/command_choice.h"

namespace tensorlane::observe {
namespace {

constexpr std::string_view kOption = "--precision-of";

// The numbers "3" or "3-5", 3 and 3 or 3 and 5.
std::pair<std::uint64_t, std::uint64_t> range_of(std::string_view text, const std::string& value) {
  std::uint64_t first = 0, last = 0;
  const char* const end = text.data() + text.size();
  std::from_chars_result read = std::from_chars(text.data(), end, first);
  last = first;
  if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-')
    read = std::from_chars(read.ptr + 1, end, last);
  if (read.ec != std::errc() || read.ptr != end || last < first)
    user_error("{} '{}': it must be launch=NUMBER or launch=FIRST-LAST", kOption, value);
  return {first, last};
}

std::int64_t count_of(std::string_view text, const std::string& value) {
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [read, error] = std::from_chars(text.data(), end, count);
  if (error != std::errc() || read != end || count < 1)
    user_error("{} '{}': it must be sample=ELEMENTS, 1 or more", kOption, value);
  return count;
}

struct Chosen {
  explicit Chosen(Say to) : say(std::move(to)) {}
  ~Chosen() {
    if (!say) return;
    for (const CommandChoice& choice : commands) report_choice(choice, say);
  }
  Chosen(const Chosen&) = delete;
  Chosen& operator=(const Chosen&) = delete;

  const Say say;
  std::vector<CommandChoice> commands;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> launches;
};

}  // namespace

precision::Limits precision_limits(const std::string& values, const Say& say) {
  constexpr std::string_view kLaunch = "launch=", kSample = "sample=";
  const auto chosen = std::make_shared<Chosen>(say);
  precision::Limits limits;
  std::istringstream lines(values);
  for (std::string value; std::getline(lines, value);) {
    if (value.starts_with(kLaunch)) {
      chosen->launches.push_back(range_of(std::string_view(value).substr(kLaunch.size()), value));
    } else if (value.starts_with(kSample)) {
      limits.elements = count_of(std::string_view(value).substr(kSample.size()), value);
    } else {
      chosen->commands.emplace_back(std::string(kOption), value);
    }
  }
  limits.launch = [chosen](const Launch& launch) {
    for (CommandChoice& choice : chosen->commands) choice.launch_begin(launch);
    return chosen->launches.empty() ||
           std::ranges::any_of(chosen->launches, [&](const auto& range) {
             return range.first <= launch.number && launch.number <= range.second;
           });
  };
  if (chosen->commands.empty()) return limits;
  limits.command = [chosen](const Command& command) {
    bool wanted = false;
    for (CommandChoice& choice : chosen->commands) wanted = choice.matches(command) || wanted;
    return wanted;
  };
  return limits;
}

}  // namespace tensorlane::observe
