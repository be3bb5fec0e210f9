// tensorlane run: a program on the emulated device.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "check_options.h"
#include "commands.h"
#include "emulated_program.h"
#include "expect_options.h"
#include "inspect_options.h"
#include "output_file.h"
#include "run_report.h"
#include "run_settings.h"
#include "run_summary.h"
#include "tensorlane/base/error.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/command_choice.h"
#include "tensorlane/observe/self_profile.h"
#include "why_run.h"

namespace tensorlane::cli {
namespace {

// The exit status when the program succeeded and what was asked for could not be had.
constexpr int kOutputLost = 2;

struct RunOptions {
  RunSettings settings;
  std::string report, self_profile_json;
  bool quiet = false;
  CheckOptions check;
  ExpectOptions expect;
  std::vector<std::string> program;
};

// What the devices did, as --report FILE says it.
std::string device_report(const ProcessResult& result, const std::vector<Json>& lines) {
  Json devices = Json::array();
  for (const Json& line : lines) {
    const std::string tool = line.value("tool", "");
    if (tool == "statistics") devices.push_back(line);
  }
  return Json{{"status", result.status},
              {"wall_seconds", result.seconds},
              {"peak_memory_bytes", result.peak_memory_bytes},
              {"devices", devices}}
             .dump(1) +
         "\n";
}

// Where the processor time of the launches went, device by device.
void print_self_profile(const RunOptions& options, const std::vector<Json>& lines) {
  Json devices = Json::array();
  for (const Json& line : lines) {
    if (line.value("tool", "") != "self_profile") continue;
    if (options.settings.on("--self-profile"))
      std::fputs(observe::self_profile_text(line).c_str(), stderr);
    devices.push_back(line);
  }
  write_output(options.self_profile_json, Json{{"devices", devices}}.dump(1) + "\n");
}

// What the options ask of the program's devices.
std::vector<std::pair<std::string, std::string>> variables_of(const RunOptions& options,
                                                              const std::string& checks,
                                                              const std::string& expectations) {
  auto variables = options.settings.variables();
  set_variable(variables, "TENSORLANE_CHECK", checks);
  set_variable(variables, "TENSORLANE_EXPECT", expectations);
  set_variable(variables, "TENSORLANE_DUMP", dump_variable(options.settings));
  if (wants_precision(options.settings, options.expect))
    set_variable(variables, "TENSORLANE_PRECISION", "1");
  if (!options.self_profile_json.empty()) set_variable(variables, "TENSORLANE_SELF_PROFILE", "1");
  return variables;
}

void run(RunOptions& options) {
  RunSettings& settings = options.settings;
  const std::vector<std::string>& program = options.program;
  require_program("run", program);
  settings.check();  // says before the program runs what is wrong
  const std::string expectations = expect_variable(settings, options.expect);
  if (settings.on("--dry-run") &&
      (!expectations.empty() || wants_precision(settings, options.expect)))
    user_error("--dry-run computes nothing that --expect or --precision could look at");
  CheckReport checks(options.check, settings.text("--check"), expectations.empty() ? "" : "expect");
  check_inspect_options(settings);

  const RunReport report;
  const bool page = options.report.ends_with(".html") || options.report.ends_with(".htm");
  if (!page) check_output(options.report);
  check_output(options.expect.precision_json);
  check_output(options.self_profile_json);
  settings.open_files();
  const ForeignOutput html(page ? options.report : "", "");
  auto variables = variables_of(options, checks.variable(), expectations);
  set_variable(variables, "TENSORLANE_REPORT", report.path());
  set_variable(variables, "TENSORLANE_PAGE", html.path());
  // Devices append to it.
  for (const auto& [name, path] : variables)
    if (name == "TENSORLANE_LOG" && !path.empty()) write_output(path, "");
  const ProcessResult result = run_emulated("run", program, variables);

  // First everything that people read: a file that cannot be written must not hide a finding.
  RunReport::Content content = report.read();
  std::fflush(stdout);
  if (!options.quiet)
    std::fputs(run_summary(result, content.lines, stderr_terminal()).c_str(), stderr);
  checks.add(content.lines);
  checks.print(options.quiet);
  std::fputs(observe::unmatched_choices(content.lines).c_str(), stderr);
  const bool compared = print_met_expectations(settings, content.lines);
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (const UserError& error) {
      content.problems.push_back(error.what());
    }
  };
  if (!page) attempt([&] { write_output(options.report, device_report(result, content.lines)); });
  attempt([&] { checks.add_to_pages(html.path(), evidence_of_run(content.lines)); });
  settings.print_files(attempt);
  attempt([&] {
    explain_difference({.verb = "run", .program = program, .environment = variables},
                       content.lines);
  });
  attempt([&] { print_precision(settings, options.expect, content.lines); });
  attempt([&] { print_self_profile(options, content.lines); });
  attempt([&] { checks.write_json(); });
  attempt([&] {
    checks.write_sarif({.command = program,
                        .status = result.status,
                        .signal = result.signal,
                        .problems = content.problems});
  });
  for (const std::string& problem : content.problems)
    fmt::print(stderr, "tensorlane run: {}\n", problem);

  if (result.status != 0) throw ExitStatus{result.status};
  // Who reads the files is to know that they are not there; the findings were printed.
  if (!content.problems.empty() || content.tool_failed) throw ExitStatus{kOutputLost};
  if (checks.has_errors() && options.check.error_exitcode != 0)
    throw ExitStatus{options.check.error_exitcode};
  if (!compared) throw ExitStatus{kOutputLost};
}

}  // namespace

void add_run_command(App& app, std::vector<std::string>& words) {
  auto options = std::make_shared<RunOptions>();
  App* command =
      app.add_subcommand("run", "Run a program on the emulated device and say what the device did");
  command
      ->add_option("--self-profile-json", options->self_profile_json,
                   "Write where the emulator's own processor time went to this JSON file")
      ->type_name("FILE");
  command
      ->add_option(
          "--report", options->report,
          "Write what the devices did to this JSON file; FILE.html or FILE.htm: findings, the "
          "modelled timeline and the local-memory map as a page")
      ->type_name("FILE");
  add_check_options(*command, options->settings, options->check);
  add_expect_options(*command, options->expect);
  options->settings.add_all_to(*command);
  command->add_flag("--quiet", options->quiet, "No summary on standard error, only what was found");
  command->usage("Usage: tensorlane run [OPTIONS] -- PROGRAM ARGS...\n");
  command->footer(
      "The program is one that was linked with libbmlib.so, of OKKernel or of TPUKernel, or that\n"
      "loads such a library while it runs, a Python script for instance; it finds ours through\n"
      "LD_LIBRARY_PATH.\n"
      "FILE may be - for standard output. Exit status: the program's when that is not 0, as a "
      "shell\n"
      "gives it; 2 for a wrong option, and when a report or file could not be written, whatever "
      "was\n"
      "found; 3 (--error-exitcode) when it is 0 and errors were found; 126 and 127 when the "
      "program cannot start.\n\n"
      "Examples:\n"
      "  tensorlane run -- ./plus_one\n"
      "  tensorlane run --reference -- ./conv2d 64 56 56\n"
      "  tensorlane run --quiet --report run.json -- ./matmul\n");
  options->program = cut_program(*command, words);
  command->callback([options] { run(*options); });
}

}  // namespace tensorlane::cli
