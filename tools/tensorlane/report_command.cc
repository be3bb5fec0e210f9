// tensorlane report: pages that `tensorlane run --report FILE.html` wrote, and pictures of what
// `--json=FILE` wrote.
#include <filesystem>
#include <memory>
#include <string>

#include "commands.h"
#include "json_option.h"
#include "output_file.h"
#include "tensorlane/base/error.h"
#include "tensorlane/io/file.h"
#include "tensorlane/observe/finding_picture.h"
#include "tensorlane/observe/time/report_page.h"

namespace tensorlane::cli {
namespace {

struct CompareOptions {
  std::string first, second;
  std::string output{kStandardOutput};
  JsonOption json;
};

struct PictureOptions {
  std::string report;
  std::size_t finding = 0;
  bool narrow = false;
  std::string output{kStandardOutput};
};

// The run of a page, under the name of its file.
Json read_run(const std::string& path) {
  const Json runs = observe::runs_of_page(FileView(path).text(), path);
  if (runs.size() != 1)
    user_error("'{}' compares {} runs; compare takes pages of one", path, runs.size());
  Json run = runs.front();
  run["name"] = std::filesystem::path(path).filename().string();
  return run;
}

Json read_report(const std::string& path) {
  const FileView file(path);
  try {
    return Json::parse(file.text());
  } catch (const UserError& error) {
    user_error("'{}' is no report that 'run --json=FILE' wrote: {}", path, error.what());
  }
}

void add_picture(App& command) {
  auto options = std::make_shared<PictureOptions>();
  App* picture = command.add_subcommand(
      "picture", "Draw a finding: its lines beside the memory that it hits, as SVG");
  picture->add_option("REPORT", options->report, "What 'run --json=FILE' wrote")->required();
  picture->add_option("--finding", options->finding, "Which of its findings, counted from 0")
      ->capture_default_str();
  picture->add_flag("--narrow", options->narrow, "For a phone: the memory below the text");
  picture->add_option("-o,--output", options->output, "Picture to write; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  picture->footer(
      "Example:\n"
      "  tensorlane run --json=report.json -- ./program\n"
      "  tensorlane report picture report.json -o race.svg\n");
  picture->callback([options] {
    check_output(options->output);
    check_picture_name(options->output);
    const Json report = read_report(options->report);
    const Json& finding = observe::finding_of_report(report, options->finding, options->report);
    write_output(options->output,
                 observe::finding_picture(finding, options->narrow ? observe::PictureForm::kNarrow
                                                                   : observe::PictureForm::kWide));
  });
}

}  // namespace

void add_report_command(App& app) {
  App* command = app.add_subcommand(
      "report", "Work on pages that 'run --report FILE.html' wrote, and on reports as JSON");
  command->require_subcommand();
  add_picture(*command);
  auto options = std::make_shared<CompareOptions>();
  App* compare = command->add_subcommand(
      "compare", "Write a page that shows two runs on one time scale, and what changed");
  compare->add_option("FIRST", options->first, "The page of the first run")->required();
  compare->add_option("SECOND", options->second, "The page of the second run")->required();
  compare->add_option("-o,--output", options->output, "Page to write; - for standard output")
      ->type_name("FILE")
      ->capture_default_str();
  options->json.add_to(*compare,
                       "What the page shows as JSON on standard output, no page there; "
                       "--json=FILE: into a file, beside the page");
  compare->footer(
      "Launches of the same kernel belong together, the first with the first and so on; lines\n"
      "belong together where the same function calls the same, so that line numbers may change.\n\n"
      "Example:\n"
      "  tensorlane run --report before.html -- ./program\n"
      "  tensorlane run --report after.html -- ./faster\n"
      "  tensorlane report compare before.html after.html -o both.html\n");
  compare->callback([options] {
    check_output(options->output);
    const Json runs = Json::array({read_run(options->first), read_run(options->second)});
    if (!options->json.replaces_text() || options->output != kStandardOutput)
      write_output(options->output, observe::page_of_runs(runs));
    options->json.write(runs);
  });
}

}  // namespace tensorlane::cli
