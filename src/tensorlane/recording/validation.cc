#include "tensorlane/recording/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>

#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/draw/svg.h"
#include "tensorlane/json/json.h"
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

const Chip& board_chip(const std::string& directory) {
  const std::string published = directory + "/published.json";
  const Json table = read_json(published);
  if (!table.contains("chip") || !table["chip"].is_string())
    user_error("{}: does not name the chip of its times", published);
  return find_chip(table["chip"].text());
}

std::vector<BoardCase> validate_board(const std::string& directory, const Chip& chip,
                                      Calibration calibration,
                                      const std::function<void(int, int)>& progress) {
  const TimingParameters& parameters = timing_parameters(chip, calibration);
  std::map<std::pair<std::string, int>, double> modelled;
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory + "/recordings", error))
    files.push_back(entry.path());
  if (files.empty()) user_error("{}/recordings: no recorded sequences there", directory);
  std::sort(files.begin(), files.end());
  int done = 0;
  for (const std::filesystem::path& file : files) {
    const auto key = case_of(file.filename());
    const double us = estimate_recording(file, chip, parameters).host_us;
    const auto [at, inserted] = modelled.emplace(key, us);
    if (!inserted) at->second = std::min(at->second, us);  // several kernels: the fastest counts
    if (progress) progress(++done, static_cast<int>(files.size()));
  }
  std::vector<BoardCase> cases;
  const std::string published = directory + "/published.json";
  const Json table = read_json(published);
  try {
    for (const Json& entry : table.at("cases")) {
      BoardCase board{entry.at("contest").get<int>(), entry.at("operator").get<std::string>(),
                      entry.at("case").get<int>(), 0, 0};
      const auto found = modelled.find({board.op, board.number});
      if (board.contest != 1 || found == modelled.end()) continue;
      board.published_us = entry.at("published_us").get<double>();
      board.modelled_us = found->second;
      cases.push_back(board);
    }
  } catch (const UserError& malformed) {
    user_error("{}: {}", published, malformed.what());
  }
  return cases;
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
  constexpr double kSize = 560, kMargin = 70, kLow = 1.5, kHigh = 6;  // decades of microseconds
  constexpr std::string_view kGrid = "#dddddd", kDiagonal = "#888888";
  const auto at = [&](double us) {
    return kMargin + (std::log10(us) - kLow) / (kHigh - kLow) * kSize;
  };
  constexpr double kWhole = kSize + 2 * kMargin, kEnd = kMargin + kSize;
  SvgWriter svg(kWhole, kWhole, "modelled and published times");
  for (int decade = 2; decade <= 6; ++decade) {
    const double x = at(std::pow(10, decade)), y = kWhole - x;
    svg.line(x, kMargin, x, kEnd, kGrid);
    svg.line(kMargin, y, kEnd, y, kGrid);
    const std::string label = decade < 3   ? "100 us"
                              : decade < 6 ? fmt::format("{} ms", std::pow(10, decade - 3))
                                           : "1 s";
    svg.text(x, kEnd + 20, label, {.size = 13, .anchor = TextAnchor::kMiddle});
    svg.text(kMargin - 8, y + 4, label, {.size = 13, .anchor = TextAnchor::kEnd});
  }
  svg.line(kMargin, kEnd, kEnd, kMargin, kDiagonal);
  svg.text(kWhole / 2, kWhole - 18, "published, best of the board",
           {.size = 13, .anchor = TextAnchor::kMiddle});
  svg.text(16, kWhole / 2, "modelled",
           {.size = 13, .anchor = TextAnchor::kMiddle, .upwards = true});
  static constexpr std::string_view kColours[] = {"#1b6ca8", "#c1440e", "#2e8b57", "#7b3fa0"};
  std::vector<std::string> operators;
  for (const BoardCase& board : cases) {
    auto found = std::find(operators.begin(), operators.end(), board.op);
    if (found == operators.end()) found = operators.insert(operators.end(), board.op);
    const std::string_view colour =
        kColours[static_cast<std::size_t>(found - operators.begin()) % 4];
    svg.dot(at(board.published_us), kWhole - at(board.modelled_us), 5,
            {.fill = std::string(board.calibration() ? "none" : colour),
             .stroke = colour,
             .stroke_width = 1.5,
             .title = fmt::format("{} {}: published {:.0f} us, modelled {:.0f} us ({:+.1f} %)",
                                  board.op, board.number, board.published_us, board.modelled_us,
                                  board.error_percent())});
  }
  double y = kMargin + 20;
  for (std::size_t k = 0; k < operators.size(); ++k, y += 18) {
    svg.text(kMargin + 16, y, operators[k], {.size = 13, .color = kColours[k % 4]});
  }
  svg.text(kMargin + 16, y, "filled: odd cases (validation)", {.size = 13, .color = "#555555"});
  return svg.finish();
}

}  // namespace tensorlane
