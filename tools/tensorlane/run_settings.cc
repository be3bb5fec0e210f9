#include "run_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/device/region_queue.h"

namespace tensorlane::cli {
namespace {

using observe::RunOption;
using observe::RunOptionKind;

std::vector<std::string> words_of(std::string_view choice) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t end = choice.find('|', at);
    words.emplace_back(choice.substr(at, end - at));
    at = end == std::string_view::npos ? end : end + 1;
  }
  return words;
}

}  // namespace

Option* add_run_option(App& command, std::string_view option, std::string& value) {
  const RunOption& row = observe::run_option(option);
  value = row.initial;
  Option* const added = command.add_option(std::string(option), value, std::string(row.help));
  if (row.kind == RunOptionKind::kChoice) {
    const std::vector<std::string> words = words_of(row.words);
    added->is_member(words);
    if (!row.shorthand.empty())
      command
          .add_flag_callback(
              std::string(row.shorthand), [&value, word = words.back()] { value = word; },
              "The same as --impl reference")
          ->excludes(added);
  } else if (!row.words.empty()) {
    added->type_name(std::string(row.words));
  }
  if (!row.initial.empty()) added->capture_default_str();
  return added;
}

void RunSettings::add_to(App& command, std::string_view option, const std::string& help) {
  const RunOption& row = observe::run_option(option);
  Setting& setting = settings_.emplace_back(Setting{.row = &row});
  const std::string name(option);
  switch (row.kind) {
    case RunOptionKind::kSwitch:
      command.add_flag(name, setting.on, help);
      return;
    case RunOptionKind::kSeconds:
      command.add_option(name, setting.seconds, help)->type_name(std::string(row.words));
      return;
    case RunOptionKind::kList:
      command.add_option(name, setting.list, help)->repeated()->type_name(std::string(row.words));
      return;
    case RunOptionKind::kText:
    case RunOptionKind::kChoice:
    case RunOptionKind::kFile:
      break;
  }
  if (help == row.help) {
    add_run_option(command, option, setting.text);
    return;
  }
  setting.text = row.initial;
  command.add_option(name, setting.text, help)->capture_default_str();
}

void RunSettings::add_to(App& command, std::initializer_list<std::string_view> options) {
  for (const std::string_view option : options)
    add_to(command, option, std::string(observe::run_option(option).help));
}

void RunSettings::add_all_to(App& command) {
  for (const RunOption& row : observe::run_options()) {
    const bool there = std::ranges::find(settings_, &row, &Setting::row) != settings_.end();
    if (!row.option.empty() && !there) add_to(command, {row.option});
  }
}

const RunSettings::Setting& RunSettings::at(std::string_view option) const {
  const auto found = std::ranges::find(settings_, option,
                                       [](const Setting& setting) { return setting.row->option; });
  TL_INTERNAL_CHECK(found != settings_.end());
  return *found;
}

void RunSettings::check() const {
  for (const Setting& setting : settings_) {
    const std::string_view option = setting.row->option;
    if (option == "--chip" && !setting.text.empty()) find_chip(setting.text);
    if (option == "--dma" && !setting.text.empty()) parse_region_order(setting.text);
    if (option == "--cores" && !setting.text.empty()) parse_core_order(setting.text);
    if (setting.seconds < 0) user_error("{} {}: it must be above 0", option, setting.seconds);
    for (const std::string& text : setting.list) {
      if (text.find('\n') != std::string::npos)
        user_error("'{}': a line break cannot be part of it", text);
    }
  }
}

void RunSettings::open_files() {
  for (Setting& setting : settings_) {
    if (setting.row->kind == RunOptionKind::kFile)
      setting.file = std::make_unique<ForeignOutput>(setting.text, setting.row->extension);
  }
}

std::string RunSettings::value_of(const Setting& setting) const {
  switch (setting.row->kind) {
    case RunOptionKind::kSwitch:
      return setting.on ? "1" : "";
    case RunOptionKind::kSeconds:
      return setting.seconds > 0 ? fmt::format("{}", setting.seconds) : "";
    case RunOptionKind::kList:
      return fmt::format("{}", fmt::join(setting.list, "\n"));
    case RunOptionKind::kFile:
      return setting.file ? setting.file->path() : "";
    case RunOptionKind::kText:
    case RunOptionKind::kChoice:
      return setting.text;
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> RunSettings::variables() const {
  std::vector<std::pair<std::string, std::string>> variables;
  for (const Setting& setting : settings_)
    variables.emplace_back(setting.row->variable, value_of(setting));
  return variables;
}

void set_variable(std::vector<std::pair<std::string, std::string>>& variables,
                  std::string_view name, std::string value) {
  const auto found =
      std::ranges::find(variables, name, [](const auto& variable) { return variable.first; });
  if (found != variables.end())
    found->second = std::move(value);
  else
    variables.emplace_back(name, std::move(value));
}

}  // namespace tensorlane::cli
