// tensorlane validate: the timing model against published board times.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "commands.h"
#include "json_option.h"
#include "output_file.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/io/file.h"
#include "tensorlane/json/json.h"
#include "tensorlane/recording/validation.h"

namespace tensorlane::cli {
namespace {

struct ValidateOptions {
  std::string data, chip;
  JsonOption json;
  std::string svg, markdown;
};

// data/board of the installation or of the source tree.
std::string default_data() {
  std::error_code error;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
  for (std::filesystem::path at = program.parent_path(); at.has_relative_path();
       at = at.parent_path()) {
    for (const char* place : {"share/tensorlane/board", "data/board"}) {
      if (std::filesystem::exists(at / place / "published.json")) return at / place;
    }
  }
  user_error("data/board is neither beside the program nor above it; name it with --data");
}

bool calibrating(const BoardCase& board) {
  return board.calibration;
}
bool judging(const BoardCase& board) {
  return !board.calibration;
}
bool any(const BoardCase&) {
  return true;
}

// A table row by row.
class Table {
 public:
  explicit Table(std::vector<std::string> titles) {
    add(titles);
    for (std::size_t k = 0; k < titles.size(); ++k) text_ += "|---";
    text_ += "|\n";
  }
  void add(const std::vector<std::string>& cells) {
    for (const std::string& cell : cells) text_ += fmt::format("| {} ", cell);
    text_ += "|\n";
  }
  // Nothing where no case counts.
  void add(std::vector<std::string> cells, const ErrorSummary& errors) {
    if (errors.cases == 0) return;
    cells.push_back(fmt::format("{}", errors.cases));
    for (const double percent : {errors.median, errors.p90, errors.maximum})
      cells.push_back(fmt::format("{:.1f} %", percent));
    add(cells);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::vector<std::string> operators_of(const std::vector<BoardCase>& cases) {
  std::vector<std::string> operators;
  for (const BoardCase& board : cases) {
    if (std::ranges::find(operators, board.op) == operators.end()) operators.push_back(board.op);
  }
  return operators;
}

// Calibration and validation apart.
std::string by_operator(const std::vector<BoardCase>& cases) {
  Table table(
      {tr("operator"), "", tr("cases"), tr("median"), tr("90th percentile"), tr("maximum")});
  for (const std::string& op : operators_of(cases)) {
    for (const bool calibration : {true, false}) {
      table.add({std::string(translated(op)), calibration ? tr("calibration") : tr("validation")},
                summarise_errors(cases, [&](const BoardCase& board) {
                  return board.op == op && board.calibration == calibration;
                }));
    }
  }
  return table.text();
}

std::string by_case(const std::vector<BoardCase>& cases, int digits) {
  Table table({tr("case"), "", tr("published us"), tr("modelled us"), tr("off by")});
  for (const BoardCase& board : cases) {
    table.add({board.text(), board.calibration ? "c" : "v",
               fmt::format("{:.{}f}", board.published_us, digits),
               fmt::format("{:.{}f}", board.modelled_us, digits),
               fmt::format("{:+.1f} %{}", board.error_percent(),
                           board.note.empty() ? "" : tr(": {}", translated(board.note)))});
  }
  return table.text();
}

std::string unknown(const std::string& data, const Chip& chip) {
  Table table({tr("what cannot be known"), tr("what stands in its place")});
  for (const Unknown& each : unknown_times(data, chip))
    table.add({std::string(translated(each.what)), std::string(translated(each.instead))});
  return "\n" + table.text();
}

// What validate has to say about a chip.
struct Findings {
  std::vector<BoardCase> cases;  // shown one by one
  std::string text;              // the tables of docs/timing.md
};

// Launches of the two contests.
Findings launches(const std::string& data, const Chip& chip, ProgressBar& progress) {
  const auto validate = [&](Calibration calibration) {
    return validate_launches(data, chip, calibration, [&](int, int) { progress.advance(1); });
  };
  const std::vector<BoardCase> even = validate(Calibration::kEven),
                               all = validate(Calibration::kAll);
  Table overview({tr("parameters fitted on"), tr("judged on"), tr("cases"), tr("median"),
                  tr("90th percentile"), tr("maximum")});
  overview.add({tr("even cases"), tr("even cases (calibration)")},
               summarise_errors(even, calibrating));
  overview.add({tr("even cases"), tr("**odd cases (validation)**")},
               summarise_errors(even, judging));
  overview.add({tr("even cases"), tr("all cases")}, summarise_errors(even, any));
  overview.add({tr("all cases"), tr("all cases")}, summarise_errors(all, any));
  Table second({tr("operator"), tr("cases"), tr("ours is as fast or faster"),
                tr("modelled / published, median"), tr("largest")});
  const std::vector<BoardCase> bounds = bound_second_contest(data, chip);
  for (const std::string& op : operators_of(bounds)) {
    std::vector<double> ratios;
    for (const BoardCase& board : bounds) {
      if (board.op == op) ratios.push_back(board.modelled_us / board.published_us);
    }
    std::ranges::sort(ratios);
    second.add({std::string(translated(op)), fmt::format("{}", ratios.size()),
                fmt::format("{}", std::ranges::count_if(ratios, [](double r) { return r <= 1; })),
                fmt::format("{:.2f}", ratios[ratios.size() / 2]),
                fmt::format("{:.2f}", ratios.back())});
  }
  return {even,
          tr("Absolute errors of the modelled against the published time of a launch, "
             "commands issued one by one.\n\n") +
              overview.text() + tr("\nPer operator, parameters fitted on the even cases:\n\n") +
              by_operator(even) +
              tr("\nThe second contest, whose kernels are not public: the modelled times of our "
                 "own operators, an upper bound of what the model gives the published ones:\n\n") +
              second.text() +
              tr("\nPer case, parameters fitted on the even cases (c: calibration, v: "
                 "validation):\n\n") +
              by_case(even, 0) + unknown(data, chip)};
}

// Engine counters.
Findings counters(const std::string& data, const Chip& chip) {
  const std::vector<BoardCase> cases = validate_counters(data, chip);
  Table overview(
      {tr("judged on"), tr("cases"), tr("median"), tr("90th percentile"), tr("maximum")});
  overview.add({tr("calibration")}, summarise_errors(cases, calibrating));
  overview.add({tr("**validation**")}, summarise_errors(cases, judging));
  return {cases,
          tr("Absolute errors of the modelled time of an engine, or of both together, against its "
             "counters; commands as a prebuilt list.\n\n") +
              overview.text() + tr("\nPer operator:\n\n") + by_operator(cases) +
              tr("\nPer row (c: calibration, v: validation):\n\n") + by_case(cases, 3) +
              unknown(data, chip)};
}

// Nothing of a chip that nobody published times of.
Findings findings(const std::string& data, const Chip& chip, ProgressBar& progress) {
  switch (chip.timing.confirmed) {
    case Confirmed::kNothing:
      return {};
    case Confirmed::kEngines:
      return counters(data, chip);
    case Confirmed::kLaunches:
      return launches(data, chip, progress);
  }
  return {};
}

// Replaces what stands between the marker lines of the chip.
void update_page(std::string& page, const std::string& path, const Chip& chip,
                 const std::string& text) {
  const std::string begin_line = fmt::format("<!-- begin: tensorlane validate {} -->\n", chip.name),
                    end_line = fmt::format("<!-- end: tensorlane validate {} -->\n", chip.name);
  const std::size_t begin = page.find(begin_line), end = page.find(end_line);
  if (begin == std::string::npos || end == std::string::npos)
    user_error("{}: the marker lines of {} are missing", path, chip.name);
  page.replace(begin + begin_line.size(), end - begin - begin_line.size(), text);
}

// docs/timing.md -> docs/timing_bm1684.svg
std::string picture_of(const std::string& page, const Chip& chip) {
  const std::filesystem::path path(page);
  return path.parent_path() / fmt::format("{}_{}.svg", path.stem().string(), chip.name);
}

void run(const ValidateOptions& options) {
  const std::string data = options.data.empty() ? default_data() : options.data;
  std::vector<const Chip*> chips(all_chips().begin(), all_chips().end());
  if (!options.chip.empty()) chips = {&find_chip(options.chip)};
  ProgressBar progress(stderr_terminal(), tr("validate"), 90);
  std::string page;
  if (!options.markdown.empty()) {
    std::ifstream file(options.markdown);
    page.assign(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (!file) user_error("{}: cannot be read", options.markdown);
  }
  Json list = Json::array();
  std::string text;
  for (const Chip* chip : chips) {
    const Findings found = findings(data, *chip, progress);
    text += fmt::format("{}{}: {}\n\n{}", text.empty() ? "" : "\n", chip->full_name,
                        calibration_text(chip->timing), found.text);
    for (const BoardCase& board : found.cases) {
      list.push_back({{"chip", chip->name},
                      {"operator", board.op},
                      {"case", board.name()},
                      {"calibration", board.calibration},
                      {"published_us", board.published_us},
                      {"modelled_us", board.modelled_us},
                      {"error_percent", board.error_percent()}});
    }
    if (found.cases.empty()) continue;
    if (!options.svg.empty()) write_output(options.svg, scatter_svg(found.cases));
    if (options.markdown.empty()) continue;
    update_page(page, options.markdown, *chip, found.text);
    write_file(picture_of(options.markdown, *chip), scatter_svg(found.cases));
  }
  progress.clear();
  if (!options.json.replaces_text()) fmt::print("{}", text);
  options.json.write({{"cases", list}});
  if (!options.markdown.empty()) write_file(options.markdown, page);
}

}  // namespace

void add_validate_command(App& app) {
  auto options = std::make_shared<ValidateOptions>();
  App* command = app.add_subcommand("validate", "Compare modelled with published board times");
  command->footer(
      "Examples:\n  tensorlane validate\n  tensorlane validate --chip bm1684x --json=errors.json\n"
      "  tensorlane validate --chip bm1684 --svg errors.svg\n"
      "  tensorlane validate --markdown docs/timing.md");
  command->add_option("--data", options->data, "folder with published.json and the rest");
  command->add_option("--chip", options->chip, "only this chip")->type_name("CHIP");
  options->json.add_to(*command);
  command->add_option("--svg", options->svg,
                      "write the scatter plot to this file; of several chips the last");
  command->add_option("--markdown", options->markdown,
                      "renew the tables of this page between the marker lines of each chip, and "
                      "its pictures beside it");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
