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
#include "row_runner.h"
#include "tensorlane/base/error.h"
#include "tensorlane/base/language.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/io/file.h"
#include "tensorlane/json/json.h"
#include "tensorlane/recording/board_rows.h"
#include "tensorlane/recording/fit.h"
#include "tensorlane/recording/rankings.h"
#include "tensorlane/recording/validation.h"
#include "validation_tables.h"

namespace tensorlane::cli {
namespace {

struct ValidateOptions {
  std::string data, chip;
  std::vector<std::string> rows;
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

// What the parameters in use rest on, and how far those of fits without one group are away.
std::string rests_on(const BoardRows& rows, const Fit& fit) {
  return tr("\nParameters in use, those of fits that leave one group of rows out, and what each "
            "rests "
            "on: the rows whose modelled time changes by 0.5 % or more when it changes by a "
            "tenth.\n\n") +
         parameters_table(fit) +
         tr("\nCycles that the ops list gives to functions, which are no parameters of the chip, "
            "and what they rest on likewise:\n\n") +
         cycles_table(cycle_support_of(rows));
}

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
  const BoardRows rows = published_rows(data, chip);
  const auto apart = [&](bool calibration) {
    return by_operator(even, calibration) + "\n" + by_case(even, calibration, 0);
  };
  return {even,
          tr("Absolute errors of the modelled against the published time of a launch, "
             "commands issued one by one.\n\n") +
              overview.text() + tr("\nCalibration, parameters fitted on the even cases:\n\n") +
              apart(true) + tr("\nValidation, the odd cases under the same parameters:\n\n") +
              apart(false) +
              tr("\nThe second contest, whose kernels are not public: the modelled times of our "
                 "own operators, an upper bound of what the model gives the published ones:\n\n") +
              second.text() + rests_on(rows, cross_validate(rows)) + unknown(data, chip)};
}

// Rows of engine counters, or of kernels.
Findings rows_of(const std::string& data, const Chip& chip) {
  const BoardRows rows = published_rows(data, chip);
  const std::vector<BoardCase> cases = board_cases(rows, chip.timing);
  const Fit fit = cross_validate(rows);
  const bool engines = chip.timing.confirmed == Confirmed::kEngines;
  std::string text =
      engines
          ? tr("Absolute errors of the modelled time of an engine, or of both together, against "
               "its counters; commands as a prebuilt list. \"Without their group\" are fits "
               "that leave out the group of a row.\n\n")
          : tr("Absolute errors of the modelled against the published time of a kernel as a "
               "host sees it, commands issued one by one. \"Without their group\" are fits "
               "that leave out the group of a row.\n\n");
  text += tr("Calibration:\n\n") + left_out_table(fit);
  if (std::ranges::any_of(cases, judging))
    text += tr("\nValidation, nothing fitted on them:\n\n") + by_operator(cases, false);
  const std::vector<Ranking> kernels = rankings(rows, chip.timing);
  if (!kernels.empty()) {
    text +=
        tr("\nVariants of one kernel, modelled and published times ranked (Spearman), of kernels "
           "with five rows or more. Where sessions repeat each other: what the published times of "
           "two of them have, and what a repeat of these would have on average, by the scatter of "
           "what was repeated:\n\n") +
        ranking_table(kernels);
  }
  text += tr("\nCalibration row by row:\n\n") + by_case(cases, true, engines ? 3 : 0);
  if (std::ranges::any_of(cases, judging))
    text += tr("\nValidation row by row:\n\n") + by_case(cases, false, engines ? 3 : 0);
  return {cases, text + rests_on(rows, fit) + unknown(data, chip)};
}

// Nothing of a chip that nobody published times of.
Findings findings(const std::string& data, const Chip& chip, ProgressBar& progress) {
  if (chip.timing.confirmed == Confirmed::kNothing) return {};
  if (chip.timing_of_even_cases) return launches(data, chip, progress);
  return rows_of(data, chip);
}

// Rows of the user's own.
Findings own_rows(const std::string& path, const Chip*& chip) {
  RowRunner runner("validate");
  const auto run = [&](const RowRun& wanted, const Chip& of) { return runner.run(wanted, of); };
  const BoardRows rows = read_board_rows(path, chip, run);
  chip = rows.chip;
  const std::vector<BoardCase> cases = board_cases(rows, chip->timing);
  std::string text;
  for (const bool calibration : {true, false}) {
    if (!std::ranges::any_of(cases, calibration ? calibrating : judging)) continue;
    text += fmt::format("{}{}\n\n{}\n{}", text.empty() ? "" : "\n",
                        calibration ? tr("Calibration rows:") : tr("Validation rows:"),
                        by_operator(cases, calibration), by_case(cases, calibration, 3));
  }
  const std::vector<Ranking> kernels = rankings(rows, chip->timing);
  if (!kernels.empty()) {
    text += tr("\nVariants of one kernel, modelled and measured times ranked:\n\n") +
            ranking_table(kernels);
  }
  return {cases, text};
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
  const std::string data = !options.data.empty()  ? options.data
                           : options.rows.empty() ? default_data()
                                                  : std::string();
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
  if (!options.rows.empty())
    chips.assign(options.rows.size(), options.chip.empty() ? nullptr : chips.front());
  for (std::size_t k = 0; k < chips.size(); ++k) {
    const Chip*& chip = chips[k];
    const Findings found =
        options.rows.empty() ? findings(data, *chip, progress) : own_rows(options.rows[k], chip);
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
      "  tensorlane validate --rows mine.csv\n"
      "  tensorlane validate --markdown docs/timing.md");
  command->add_option("--data", options->data, "folder with published.json and the rest");
  command->add_option("--chip", options->chip, "only this chip")->type_name("CHIP");
  command->add_option("--rows", options->rows,
                      "files of rows of your own, .json or .csv: measured times beside recorded "
                      "commands, kernels or programs (docs/timing.md)");
  options->json.add_to(*command);
  command->add_option("--svg", options->svg,
                      "write the scatter plot to this file; of several chips the last");
  command->add_option("--markdown", options->markdown,
                      "renew the tables of this page between the marker lines of each chip, and "
                      "its pictures beside it");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
