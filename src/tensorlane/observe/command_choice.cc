#include "tensorlane/observe/command_choice.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/observe/report_file.h"

namespace tensorlane::observe {
namespace {

// Whether `path` is `name`, perhaps with folders before it.
bool ends_in(std::string_view path, std::string_view name) {
  return path.ends_with(name) &&
         (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

// "41, 45 and 47": the lines that issue commands, nearest to `line` first chosen.
std::string near_text(const std::set<int>& lines, int line) {
  constexpr std::size_t kShown = 4;
  std::vector<int> near(lines.begin(), lines.end());
  std::ranges::stable_sort(near, {}, [&](int each) { return std::abs(each - line); });
  near.resize(std::min(near.size(), kShown));
  std::ranges::sort(near);
  return fmt::format("{}", fmt::join(near, ", "));
}

}  // namespace

CommandChoice::CommandChoice(std::string option, std::string text)
    : option_(std::move(option)), text_(std::move(text)) {
  if (text_.starts_with('#')) {
    position_ = parse_position(std::string_view(text_).substr(1));
    if (!position_)
      user_error("{} '{}': it must be #COMMAND, #LAUNCH.COMMAND or #DEVICE.LAUNCH.COMMAND", option_,
                 text_);
    return;
  }
  const std::size_t colon = text_.rfind(':');
  if (colon != std::string::npos) {
    const char* const begin = text_.data() + colon + 1;
    const char* const end = text_.data() + text_.size();
    const auto [read, error] = std::from_chars(begin, end, line_);
    if (error != std::errc() || read != end || line_ <= 0 || colon == 0)
      user_error("{} '{}': it must be FILE:LINE or the name of a function", option_, text_);
    file_ = text_.substr(0, colon);
  } else if (text_.empty()) {
    user_error("{} '': it must be FILE:LINE or the name of a function", option_);
  }
}

std::optional<CommandChoice::Position> CommandChoice::parse_position(std::string_view text) {
  std::array<std::uint64_t, 3> numbers{};  // the last one is the command
  for (std::size_t count = 0; count < numbers.size(); ++count) {
    std::rotate(numbers.begin(), numbers.begin() + 1, numbers.end());
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, numbers.back());
    if (error != std::errc()) return {};
    if (read == end) return Position{numbers[0], numbers[1], numbers[2]};
    if (*read != '.') return {};
    text.remove_prefix(static_cast<std::size_t>(read + 1 - text.data()));
  }
  return {};
}

bool CommandChoice::matches(const Command& command) {
  bool known = false;
  if (position_) {
    known = position_->device == device_ && position_->launch == launch_ &&
            position_->number == command.sequence;
    functions_.insert(std::string(command.op->name()));
  } else if (file_.empty() && command.op->name() == text_) {
    known = true;
  } else {
    if (const std::uint64_t now = place_generation(); now != generation_) {
      known_.clear();  // addresses may name other places
      generation_ = now;
    }
    const auto [entry, is_new] =
        known_.emplace(std::pair{command.call_site, command.calls.data()}, false);
    if (is_new) entry->second = look(command);
    known = entry->second;
  }
  if (known) ++matched_;
  return known;
}

bool CommandChoice::names(const SourceLocation& frame) const {
  return file_.empty() ? frame.function == text_
                       : frame.line == line_ && ends_in(frame.file, file_);
}

bool CommandChoice::look(const Command& command) {
  std::vector<SourceLocation> frames = find_source_frames(command.call_site, command.op->name());
  for (const void* const caller : command.calls) {
    if (caller != command.call_site)
      std::ranges::copy(find_source_frames(caller), std::back_inserter(frames));
  }
  for (const SourceLocation& frame : frames) {
    if (!frame.file.empty()) lines_[frame.file].insert(frame.line);
    functions_.insert(frame.function);
  }
  functions_.insert(std::string(command.op->name()));
  return std::ranges::any_of(frames, [&](const SourceLocation& frame) { return names(frame); });
}

Json CommandChoice::report() const {
  Json entry{{"tool", "choice"}, {"choice", name()}, {"matched", matched_}};
  if (matched_ == 0) entry["hint"] = hint();
  return entry;
}

std::string CommandChoice::hint() const {
  if (functions_.empty()) return tr("no command was issued at all");
  if (position_) return tr("there is no such command");
  if (file_.empty()) {
    const std::vector<std::string_view> names(functions_.begin(), functions_.end());
    return tr("no command is issued there{}", did_you_mean(text_, names));
  }
  if (lines_.empty()) return tr("the kernel has no lines: compile it with -g");
  std::string files;
  for (const auto& [file, lines] : lines_) {
    if (ends_in(file, file_))
      return tr("no command is issued there; lines of {} that issue some: {}", file,
                near_text(lines, line_));
    files += (files.empty() ? "" : ", ") + file;
  }
  return tr("no command is issued in such a file; some are in {}", files);
}

std::string core_text(const Launch& launch, const Command& command) {
  return launch.cores == 1 ? std::string() : tr(", core {}", command.core);
}

std::vector<CommandChoice> choices_of(const std::string& option, const std::string& value) {
  std::vector<CommandChoice> choices;
  std::istringstream lines(value);
  for (std::string line; std::getline(lines, line);) choices.emplace_back(option, line);
  return choices;
}

void report_choice(const CommandChoice& choice, const Say& say) noexcept {
  try {
    const Json entry = choice.report();
    if (!report_path().empty()) return append_report(entry);
    const std::string text = unmatched_choices({&entry, 1});
    if (!text.empty()) say(text);
  } catch (const std::exception& error) {
    report_problem(error.what(), say);
  }
}

std::string unmatched_choices(std::span<const Json> report) {
  std::map<std::string, std::string> hints;
  std::set<std::string> matched;
  for (const Json& line : report) {
    if (line.value("tool", "") != "choice") continue;
    const std::string& choice = line.at("choice").text();
    if (const Json* const hint = line.find("hint")) {
      hints.emplace(choice, hint->text());
    } else {
      matched.insert(choice);
    }
  }
  std::string text;
  for (const auto& [choice, hint] : hints) {
    if (!matched.contains(choice)) text += fmt::format("tensorlane: {}: {}\n", choice, hint);
  }
  return text;
}

}  // namespace tensorlane::observe
