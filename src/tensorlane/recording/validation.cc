#include "tensorlane/recording/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/draw/svg.h"
#include "tensorlane/json/json.h"
#include "tensorlane/recording/board_rows.h"
#include "tensorlane/recording/estimate.h"

namespace tensorlane {
namespace {

Json read_json(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::optional<Json> result = Json::try_parse(text);
  if (!file || !result) user_error("{}: not a readable JSON file", path);
  return *result;
}

// "conv2d_12_B.jsonl.gz" -> conv2d, 12
std::pair<std::string, int> case_of(const std::string& file) {
  const std::size_t first = file.find('_'), second = file.find('_', first + 1);
  int number = -1;
  if (second != std::string::npos)
    std::from_chars(file.data() + first + 1, file.data() + second, number);
  if (number < 0) user_error("{}: not named operator_case_entrant", file);
  return {file.substr(0, first), number};
}

double quantile(const std::vector<double>& sorted, double q) {
  if (sorted.empty()) return 0;
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto low = static_cast<std::size_t>(at);
  const std::size_t high = std::min(low + 1, sorted.size() - 1);
  return sorted[low] + (sorted[high] - sorted[low]) * (at - static_cast<double>(low));
}

}  // namespace

namespace {

// (operator, case) of every recording of a folder, with its file.
std::vector<std::pair<std::pair<std::string, int>, std::filesystem::path>> recordings(
    const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    files.push_back(entry.path());
  if (files.empty()) user_error("{}: no recorded sequences there", folder);
  std::sort(files.begin(), files.end());
  std::vector<std::pair<std::pair<std::string, int>, std::filesystem::path>> result;
  for (const std::filesystem::path& file : files)
    result.emplace_back(case_of(file.filename()), file);
  return result;
}

// The published cases of a contest that have a modelled time.
std::vector<BoardCase> published_cases(
    const std::string& directory, int contest,
    const std::map<std::pair<std::string, int>, double>& modelled) {
  std::vector<BoardCase> cases;
  const std::string published = directory + "/published.json";
  const Json table = read_json(published);
  try {
    for (const Json& entry : table.at("cases")) {
      const int number = entry.at("case").get<int>();
      const std::string op = entry.at("operator").get<std::string>();
      const auto found = modelled.find({op, number});
      if (entry.at("contest").get<int>() != contest || found == modelled.end()) continue;
      cases.push_back({.op = op,
                       .what = std::to_string(number),
                       .published_us = entry.at("published_us").get<double>(),
                       .modelled_us = found->second,
                       .calibration = contest == 1 && number % 2 == 0});
    }
  } catch (const UserError& malformed) {
    user_error("{}: {}", published, malformed.what());
  }
  return cases;
}

}  // namespace

std::vector<BoardCase> validate_launches(const std::string& directory, const Chip& chip,
                                         Calibration calibration,
                                         const std::function<void(int, int)>& progress) {
  const TimingParameters& parameters = timing_parameters(chip, calibration);
  std::map<std::pair<std::string, int>, double> modelled;
  const auto files = recordings(directory + "/recordings");
  int done = 0;
  for (const auto& [key, file] : files) {
    const double us = estimate_recording(file, chip, parameters).host_us;
    const auto [at, inserted] = modelled.emplace(key, us);
    if (!inserted) at->second = std::min(at->second, us);  // several kernels: the fastest counts
    if (progress) progress(++done, static_cast<int>(files.size()));
  }
  return published_cases(directory, 1, modelled);
}

std::vector<BoardCase> bound_second_contest(const std::string& directory, const Chip& chip) {
  std::map<std::pair<std::string, int>, double> modelled;
  for (const auto& [key, file] : recordings(directory + "/operators"))
    modelled.emplace(key, estimate_recording(file, chip, timing_parameters(chip)).host_us);
  return published_cases(directory, 2, modelled);
}

BoardRows published_rows(const std::string& directory, const Chip& chip) {
  if (!chip.timing_of_even_cases) {
    const std::string own = fmt::format("{}/{}.json", directory, chip.name);
    return read_board_rows(std::filesystem::exists(own) ? own : directory + "/counters.json",
                           &chip);
  }
  std::map<std::pair<std::string, int>, std::string> files;
  std::map<std::pair<std::string, int>, double> none;
  for (const auto& [key, file] : recordings(directory + "/recordings")) {
    files.emplace(key, file);
    none.emplace(key, 0);
  }
  BoardRows result{.chip = &chip, .rows = {}};
  for (const BoardCase& board : published_cases(directory, 1, none)) {
    const std::string& file = files.at({board.op, std::stoi(board.what)});
    result.rows.push_back({.op = board.op,
                           .shape = board.what,
                           .variant = {},
                           .group = board.op + " " + board.what,
                           .part = "launch",
                           .note = {},
                           .session = {},
                           .time_us = board.published_us,
                           .commands = std::make_shared<CommandList>(file, chip)});
  }
  return result;
}

std::vector<Unknown> unknown_times(const std::string& directory, const Chip& chip) {
  std::vector<Unknown> list;
  const std::string path = directory + "/unknown.json";
  const Json table = read_json(path);
  try {
    for (const Json& row : table.at(std::string(chip.name)))
      list.push_back({row.at("what").get<std::string>(), row.at("instead").get<std::string>()});
  } catch (const UserError& malformed) {
    user_error("{}: {}", path, malformed.what());
  }
  return list;
}

std::string BoardCase::name() const {
  const std::string whole = variant.empty() ? what : fmt::format("{}, {}", what, variant);
  return part.empty() ? whole : fmt::format("{}: {}", whole, part);
}

std::string BoardCase::text() const {
  std::string shape(translated(what));
  if (!variant.empty()) shape = tr("{}, {}", shape, translated(variant));
  return fmt::format("{} {}", translated(op),
                     part.empty() ? shape : tr("{}: {}", shape, translated(part)));
}

ErrorSummary summarise_errors(const std::vector<BoardCase>& cases,
                              const std::function<bool(const BoardCase&)>& chosen) {
  std::vector<double> errors;
  for (const BoardCase& board : cases) {
    if (chosen(board)) errors.push_back(std::abs(board.error_percent()));
  }
  std::sort(errors.begin(), errors.end());
  return {static_cast<int>(errors.size()), quantile(errors, 0.5), quantile(errors, 0.9),
          errors.empty() ? 0 : errors.back()};
}

std::string scatter_svg(const std::vector<BoardCase>& cases) {
  constexpr double kSize = 560, kMargin = 70;
  constexpr std::string_view kGrid = "#dddddd", kDiagonal = "#888888";
  double low = 6, high = 0;  // decades of microseconds, in halves
  for (const BoardCase& board : cases) {
    low = std::min(low, std::floor(2 * std::log10(board.published_us)) / 2);
    high = std::max(high, std::ceil(2 * std::log10(board.published_us)) / 2);
  }
  const auto at = [&](double us) {
    return kMargin + (std::log10(us) - low) / (high - low) * kSize;
  };
  constexpr double kWhole = kSize + 2 * kMargin, kEnd = kMargin + kSize;
  SvgWriter svg(kWhole, kWhole, tr("modelled and published times"));
  for (int decade = static_cast<int>(std::ceil(low)); decade <= high; ++decade) {
    const double x = at(std::pow(10, decade)), y = kWhole - x;
    svg.line(x, kMargin, x, kEnd, kGrid);
    svg.line(kMargin, y, kEnd, y, kGrid);
    const std::string label = decade < 3   ? fmt::format("{} us", std::pow(10, decade))
                              : decade < 6 ? fmt::format("{} ms", std::pow(10, decade - 3))
                                           : "1 s";
    svg.text(x, kEnd + 20, label, {.size = 13, .anchor = TextAnchor::kMiddle});
    svg.text(kMargin - 8, y + 4, label, {.size = 13, .anchor = TextAnchor::kEnd});
  }
  svg.line(kMargin, kEnd, kEnd, kMargin, kDiagonal);
  svg.text(kWhole / 2, kWhole - 18, tr("published"), {.size = 13, .anchor = TextAnchor::kMiddle});
  svg.text(16, kWhole / 2, tr("modelled"),
           {.size = 13, .anchor = TextAnchor::kMiddle, .upwards = true});
  static constexpr std::string_view kColours[] = {"#1b6ca8", "#c1440e", "#2e8b57", "#7b3fa0",
                                                  "#8a6d00", "#00838f", "#ad1457", "#5d4037"};
  constexpr std::size_t kColourCount = std::size(kColours);
  std::vector<std::string> operators;
  for (const BoardCase& board : cases) {
    auto found = std::find(operators.begin(), operators.end(), board.op);
    if (found == operators.end()) found = operators.insert(operators.end(), board.op);
    const std::string_view colour =
        kColours[static_cast<std::size_t>(found - operators.begin()) % kColourCount];
    svg.dot(at(board.published_us), kWhole - at(board.modelled_us), 5,
            {.fill = std::string(board.calibration ? "none" : colour),
             .stroke = colour,
             .stroke_width = 1.5,
             .title = tr("{}: published {:.0f} us, modelled {:.0f} us ({:+.1f} %)", board.text(),
                         board.published_us, board.modelled_us, board.error_percent())});
  }
  double y = kMargin + 20;
  for (std::size_t k = 0; k < operators.size(); ++k, y += 18) {
    svg.text(kMargin + 16, y, translated(operators[k]),
             {.size = 13, .color = kColours[k % kColourCount]});
  }
  svg.text(kMargin + 16, y, tr("filled: validation"), {.size = 13, .color = "#555555"});
  return svg.finish();
}

}  // namespace tensorlane
