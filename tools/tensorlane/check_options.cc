#include "check_options.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "tensorlane/device/region_queue.h"
#include "tensorlane/io/file.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/check_list.h"
#include "tensorlane/observe/check/report.h"

namespace tensorlane::cli {
namespace {

void write_if_named(const std::string& path, const std::string& text) {
  if (!path.empty()) write_file(path, text);
}

}  // namespace

void add_check_options(App& command, CheckOptions& options) {
  std::string help = "What is checked: all, none, or some of these, separated by commas.";
  for (const std::string_view name : check::check_names()) {
    for (const check::CheckRow& row : check::check_rows()) {
      if (row.name == name)
        help +=
            fmt::format("\n  {:<9} {}{}", name, row.finds, row.in_all ? "" : "; not part of all");
    }
  }
  help += "\nAdvice is printed when lint is named.";
  command.add_option("--check", options.checks, help)->capture_default_str();
  command
      .add_option(
          "--dma", options.dma,
          "When copies of a parallel region take effect: issue, early, late or random[:SEED]")
      ->capture_default_str();
  command.add_option("--json", options.json, "Write the findings to this JSON file")
      ->type_name("FILE");
  command.add_option("--sarif", options.sarif, "Write the findings as SARIF 2.1.0")
      ->type_name("FILE");
  command
      .add_option("--suppressions", options.suppressions,
                  "File of findings to leave out: an id and a function per line, * as wildcard")
      ->type_name("FILE");
  command
      .add_option("--error-exitcode", options.error_exitcode,
                  "Exit status when the program succeeds and the checker finds errors")
      ->capture_default_str();
}

std::string check_variable(const CheckOptions& options) {
  parse_region_order(options.dma);
  if (options.checks == "none") return "";
  check::parse_checks(options.checks);
  return options.checks;
}

int report_checks(const CheckOptions& options, const std::vector<Json>& lines, int status,
                  bool quiet) {
  if (options.checks == "none") return status;
  check::Report report;
  if (!options.suppressions.empty()) {
    report.suppress(check::Suppressions(FileView(options.suppressions).text()));
  }
  check::add_entries(lines, report);
  write_if_named(options.json, check::json_report(report));
  write_if_named(options.sarif, check::sarif_report(report));
  const bool lint = check::parse_checks(options.checks).advice;
  const bool found =
      report.count(check::Severity::kError) + report.count(check::Severity::kWarning) > 0;
  if (found || (lint && !quiet)) std::fputs(check::text_report(report, lint).c_str(), stderr);
  const char* const github = std::getenv("GITHUB_ACTIONS");
  if (github != nullptr && std::string(github) == "true")
    std::fputs(check::github_report(report).c_str(), stdout);
  return status == 0 && report.count(check::Severity::kError) > 0 ? options.error_exitcode : status;
}

}  // namespace tensorlane::cli
