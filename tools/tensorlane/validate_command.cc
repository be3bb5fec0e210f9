// tensorlane validate: the timing model against published board times.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "commands.h"
#include "output_file.h"
#include "progress.h"
#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/io/file.h"
#include "tensorlane/json/json.h"
#include "tensorlane/recording/validation.h"

namespace tensorlane::cli {
namespace {

struct Options {
  std::string data;
  std::string json, svg, markdown;
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

std::string row(const std::string& name, const ErrorSummary& errors) {
  return fmt::format("| {} | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n", name, errors.cases,
                     errors.median, errors.p90, errors.maximum);
}

// The tables of docs/timing.md.
std::string tables(const std::vector<BoardCase>& even, const std::vector<BoardCase>& all) {
  const auto odd = [](const BoardCase& board) { return !board.calibration(); };
  const auto is_even = [](const BoardCase& board) { return board.calibration(); };
  const auto any = [](const BoardCase&) { return true; };
  std::string text =
      "Absolute errors of the modelled against the published time.\n\n"
      "| parameters fitted on | judged on | cases | median | 90th percentile | maximum "
      "|\n|---|---|---|---|---|---|\n";
  const auto line = [&](const char* fitted, const char* judged, const ErrorSummary& errors) {
    text += fmt::format("| {} | {} | {} | {:.1f} % | {:.1f} % | {:.1f} % |\n", fitted, judged,
                        errors.cases, errors.median, errors.p90, errors.maximum);
  };
  line("even cases", "even cases (calibration)", summarise_errors(even, is_even));
  line("even cases", "**odd cases (validation)**", summarise_errors(even, odd));
  line("even cases", "all cases", summarise_errors(even, any));
  line("all cases", "all cases", summarise_errors(all, any));
  text +=
      "\nPer operator, parameters fitted on the even cases:\n\n| operator | cases | median | 90th "
      "percentile | maximum |\n|---|---|---|---|---|\n";
  std::vector<std::string> operators;
  for (const BoardCase& board : even) {
    if (std::find(operators.begin(), operators.end(), board.op) == operators.end())
      operators.push_back(board.op);
  }
  for (const std::string& op : operators) {
    text += row(op, summarise_errors(even, [&](const BoardCase& board) { return board.op == op; }));
  }
  text +=
      "\nPer case, parameters fitted on the even cases (c: calibration, v: validation):\n\n"
      "| case | | published us | modelled us | error |\n|---|---|---|---|---|\n";
  for (const BoardCase& board : even) {
    text += fmt::format("| {} {} | {} | {:.0f} | {:.0f} | {:+.1f} % |\n", board.op, board.number,
                        board.calibration() ? "c" : "v", board.published_us, board.modelled_us,
                        board.error_percent());
  }
  return text;
}

// Replaces what stands between the two marker lines of a page.
void update_page(const std::string& path, const std::string& text) {
  constexpr std::string_view kBegin = "<!-- begin: tensorlane validate -->\n",
                             kEnd = "<!-- end: tensorlane validate -->\n";
  std::ifstream file(path);
  std::string page((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::size_t begin = page.find(kBegin), end = page.find(kEnd);
  if (!file || begin == std::string::npos || end == std::string::npos)
    user_error("{}: the marker lines are missing", path);
  page.replace(begin + kBegin.size(), end - begin - kBegin.size(), text);
  write_file(path, page);
}

void run(const Options& options) {
  const std::string data = options.data.empty() ? default_data() : options.data;
  const Chip& chip = board_chip(data);
  ProgressBar progress(stderr_terminal(), "validate", 90);
  const auto validate = [&](Calibration calibration) {
    return validate_board(data, chip, calibration, [&](int, int) { progress.advance(1); });
  };
  const std::vector<BoardCase> even = validate(Calibration::kEven);
  const std::vector<BoardCase> all = validate(Calibration::kAll);
  progress.clear();
  const std::string text = tables(even, all);
  fmt::print(
      "The model against published board times of the {}. Other chips have none: their times "
      "are uncalibrated.\n\n{}",
      chip.full_name, text);
  if (!options.json.empty()) {
    Json cases = Json::array();
    for (const BoardCase& board : even) {
      cases.push_back({{"contest", board.contest},
                       {"operator", board.op},
                       {"case", board.number},
                       {"published_us", board.published_us},
                       {"modelled_us", board.modelled_us},
                       {"error_percent", board.error_percent()}});
    }
    write_output(options.json, Json{{"cases", cases}}.dump(1) + "\n");
  }
  if (!options.svg.empty()) write_output(options.svg, scatter_svg(even));
  if (!options.markdown.empty()) update_page(options.markdown, text);
}

}  // namespace

void add_validate_command(App& app) {
  auto options = std::make_shared<Options>();
  App* command = app.add_subcommand("validate", "Compare modelled with published board times");
  command->footer(
      "Examples:\n  tensorlane validate\n  tensorlane validate --json errors.json --svg "
      "errors.svg\n"
      "  tensorlane validate --markdown docs/timing.md --svg docs/timing.svg");
  command->add_option("--data", options->data, "folder with published.json and recordings/");
  command->add_option("--json", options->json, "write the cases to this file");
  command->add_option("--svg", options->svg, "write the scatter plot to this file");
  command->add_option("--markdown", options->markdown,
                      "renew the tables of this page between its marker lines");
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
