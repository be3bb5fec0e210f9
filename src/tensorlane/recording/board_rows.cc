#include "tensorlane/recording/board_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <span>

#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/base/names.h"
#include "tensorlane/json/json.h"
#include "tensorlane/recording/row_runs.h"
#include "tensorlane/recording/row_values.h"

namespace tensorlane {
namespace {

constexpr std::string_view kParts[] = {"launch", "kernel", "GDMA", "BDC", "both engines"};
constexpr std::string_view kSplits[] = {"calibration", "validation"};

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file) user_error("{}: cannot be read", path);
  return text;
}

// The cells of a line of CSV: "quoted, with ""quotes"" in it" or bare.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t at = 0; at < line.size(); ++at) {
    if (line[at] == '"' && quoted && at + 1 < line.size() && line[at + 1] == '"') {
      cells.back() += line[++at];
    } else if (line[at] == '"') {
      quoted = !quoted;
    } else if (line[at] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[at];
    }
  }
  return cells;
}

// As the JSON form has it; every cell is a text, and an empty one is no member.
Json json_of_csv(const std::string& path, const std::string& text) {
  Json rows = Json::array();
  std::vector<std::string> names;
  int number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (names.empty()) {
      names = cells;
      continue;
    }
    if (cells.size() != names.size())
      user_error("{}:{}: {} cells, the first line names {}", path, number, cells.size(),
                 names.size());
    Json row = Json::object();
    for (std::size_t k = 0; k < names.size(); ++k) {
      if (!cells[k].empty()) row[names[k]] = cells[k];
    }
    rows.push_back(std::move(row));
  }
  Json result{{"rows", rows}};
  if (!rows.empty() && rows.front().contains("chip")) result["chip"] = rows.front().at("chip");
  return result;
}

std::string choice_of(const Json& row, std::string_view name,
                      std::span<const std::string_view> all) {
  const std::string value = row.value(name, std::string(all.front()));
  if (std::ranges::find(all, value) == all.end())
    user_error("'{}' is \"{}\"{}", name, value, did_you_mean(value, all));
  return value;
}

BoardRow row_of(const Json& json) {
  BoardRow row{.op = json.at("operator").get<std::string>(),
               .shape = json.value("shape", std::string()),
               .variant = json.value("variant", std::string()),
               .part = choice_of(json, "part", kParts),
               .note = json.value("note", std::string()),
               .session = json.value("session", std::string()),
               .calibration = choice_of(json, "split", kSplits) == kSplits[0],
               .time_us = row_number(json, "time_us"),
               .repeat = 1};
  row.group = json.value("group", row.op + " " + row.shape);
  if (json.contains("repeat")) row.repeat = row_whole(json, "repeat", 1000000000);
  return row;
}

}  // namespace

double BoardRow::modelled_us(const TimingParameters& issued, const Op* longer) const {
  if (part == "launch") return commands->estimate(issued, repeat, longer).host_us;
  if (part == "kernel") return commands->estimate(issued, repeat, longer).kernel_us;
  const Estimate engines = commands->estimate(prebuilt(issued), repeat, longer);
  return part == "GDMA"  ? engines.gdma.busy_us
         : part == "BDC" ? engines.bdc.busy_us
                         : engines.kernel_us;
}

BoardRows read_board_rows(const std::string& path, const Chip* chip, const RunRow& run) {
  const std::string text = read_text(path);
  Json table;
  if (path.ends_with(".csv")) {
    table = json_of_csv(path, text);
  } else {
    std::optional<Json> parsed = Json::try_parse(text);
    if (!parsed) user_error("{}: not a readable JSON file", path);
    table = *std::move(parsed);
  }
  BoardRows result{.chip = chip, .rows = {}};
  std::map<std::string, std::shared_ptr<const CommandList>> lists;
  std::map<RowRun, std::shared_ptr<const CommandList>> runs;
  int number = 0;
  try {
    if (chip == nullptr) result.chip = &find_chip(table.at("chip").get<std::string>());
    const std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (const Json& json : table.at("rows")) {
      ++number;
      BoardRow row = row_of(json);
      if (const std::optional<RowRun> wanted = row_run(json, folder)) {
        if (!run) user_error("its kernel is to be run, which nobody does here");
        std::shared_ptr<const CommandList>& list = runs[*wanted];
        if (list == nullptr) list = run(*wanted, *result.chip);
        row.commands = list;
      } else {
        const std::string file = folder / json.at("recording").get<std::string>();
        std::shared_ptr<const CommandList>& list = lists[file];
        if (list == nullptr) list = std::make_shared<CommandList>(file, *result.chip);
        row.commands = list;
      }
      result.rows.push_back(std::move(row));
    }
  } catch (const UserError& malformed) {
    if (number == 0) user_error("{}: {}", path, malformed.what());
    user_error("{}: row {}: {}", path, number, malformed.what());
  }
  return result;
}

std::vector<BoardCase> board_cases(const BoardRows& rows, const TimingParameters& issued) {
  std::vector<BoardCase> cases;
  for (const BoardRow& row : rows.rows) {
    cases.push_back({.op = row.op,
                     .what = row.shape,
                     .variant = row.variant,
                     .part = row.part == "launch" ? std::string() : row.part,
                     .published_us = row.time_us,
                     .modelled_us = row.modelled_us(issued),
                     .calibration = row.calibration,
                     .note = row.note});
  }
  return cases;
}

}  // namespace tensorlane
