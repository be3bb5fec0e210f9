#include "check_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "output_file.h"
#include "tensorlane/base/language.h"
#include "tensorlane/io/file.h"
#include "tensorlane/observe/check/check_list.h"
#include "tensorlane/observe/check/finding_json.h"
#include "tensorlane/observe/device_file.h"
#include "tensorlane/observe/time/report_page.h"

namespace tensorlane::cli {

void add_check_options(App& command, RunSettings& settings, CheckOptions& options) {
  std::string help(translated(observe::run_option("--check").help));
  for (const std::string_view name : check::check_names()) {
    for (const check::CheckRow& row : check::check_rows()) {
      if (row.name == name)
        help += fmt::format("\n  {:<9} {}{}", name, translated(row.finds),
                            row.in_all ? "" : tr("; not part of all"));
    }
  }
  help += "\n" + tr("Advice is printed when lint is named.");
  settings.add_to(command, "--check", help);
  command.add_flag("--all", options.all,
                   "Print findings that follow from others, too; files have them always");
  options.json.add_to(command,
                      "The findings as JSON, on standard output; --json=FILE: into a file");
  command.add_option("--sarif", options.sarif, "Write the findings as SARIF 2.1.0")
      ->type_name("FILE");
  command
      .add_option("--suppressions", options.suppressions,
                  "File of findings to leave out: an id and a function per line, * as wildcard")
      ->type_name("FILE");
  command
      .add_option("--error-exitcode", options.error_exitcode,
                  "Exit status, 0 to 125, when the program succeeds and errors are found")
      ->range(0, 125)
      ->capture_default_str();
}

CheckReport::CheckReport(const CheckOptions& options, const std::string& checks,
                         std::string_view needed)
    : options_(options) {
  options.json.check();
  check_output(options.sarif);
  if (!options.suppressions.empty()) {
    report_.suppress(check::Suppressions(FileView(options.suppressions).text()));
  }
  if (checks != "none") variable_ = checks;
  if (!needed.empty()) variable_ += fmt::format("{}{}", variable_.empty() ? "" : ",", needed);
  if (variable_.empty()) return;
  advice_ = check::parse_checks(variable_).advice;
}

void CheckReport::add(const std::vector<Json>& lines) {
  checked_ = checked_ || std::ranges::any_of(lines, [](const Json& line) {
               return line.value("tool", "") == "device";
             });
  check::add_entries(lines, report_);
}

void CheckReport::print(bool quiet) const {
  // Advice is shown to those who asked for it.
  const bool found = has_errors() || report_.count(check::Severity::kWarning) > 0 ||
                     (advice_ && report_.count(check::Severity::kAdvice) > 0);
  if (!variable_.empty() && (found || (checked_ && !quiet)))
    std::fputs(check::text_report(report_, {advice_, options_.all}).c_str(), stderr);
  const char* const github = std::getenv("GITHUB_ACTIONS");
  if (github != nullptr && std::string(github) == "true")
    std::fputs(check::github_report(report_).c_str(), stdout);
}

void CheckReport::write_json() const {
  if (options_.json.wanted()) options_.json.write_text(check::json_report(report_));
}

void CheckReport::add_to_pages(const std::string& path, const Json& evidence) const {
  if (path.empty()) return;
  for (int device = 0;; ++device) {
    const std::string file =
        device == 0 ? path : observe::numbered(path, fmt::format(".{}", device + 1));
    if (!std::filesystem::exists(file)) return;
    Json findings = Json::array();
    for (const check::Finding& finding : report_.findings()) {
      const bool shown = advice_ || finding.diagnostic->severity != check::Severity::kAdvice;
      const bool here =
          finding.launches.empty()
              ? device == 0
              : std::ranges::any_of(finding.launches, [&](const check::FindingLaunches& launches) {
                  return launches.device == device;
                });
      if (shown && here) findings.push_back(check::json(finding));
    }
    Json runs = observe::runs_of_page(FileView(file).text(), file);
    if (!variable_.empty()) observe::add_findings(runs[0], findings);
    runs[0]["evidence"] = evidence;
    write_output(file, observe::page_of_runs(runs));
  }
}

void CheckReport::write_sarif(const check::Invocation& invocation) const {
  write_output(options_.sarif, check::sarif_report(report_, invocation));
}

}  // namespace tensorlane::cli
