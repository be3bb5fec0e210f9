// tensorlane run: a program on the emulated device.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "check_options.h"
#include "commands.h"
#include "emulated_program.h"
#include "expect_options.h"
#include "implementation_option.h"
#include "inspect_options.h"
#include "launch_mode_option.h"
#include "output_file.h"
#include "red_zones_option.h"
#include "run_report.h"
#include "run_summary.h"
#include "tensorlane/base/error.h"
#include "tensorlane/chip/chip.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/command_choice.h"
#include "tensorlane/observe/self_profile.h"
#include "why_run.h"

namespace tensorlane::cli {
namespace {

// The exit status when the program succeeded and what was asked for could not be had.
constexpr int kOutputLost = 2;

struct Options {
  std::string chip;
  std::string implementation;
  std::string report;
  bool quiet = false;
  bool advice = false;
  bool time = false;
  bool dry_run = false;
  bool keep_going = false;
  bool strict = false;
  std::string profile, trace, record, launch_mode, red_zones;
  bool self_profile = false;
  std::string self_profile_json;
  double timeout = 0;  // seconds; 0: none
  CheckOptions check;
  InspectOptions inspect;
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
void print_self_profile(const Options& options, const std::vector<Json>& lines) {
  Json devices = Json::array();
  for (const Json& line : lines) {
    if (line.value("tool", "") != "self_profile") continue;
    if (options.self_profile) std::fputs(observe::self_profile_text(line).c_str(), stderr);
    devices.push_back(line);
  }
  write_output(options.self_profile_json, Json{{"devices", devices}}.dump(1) + "\n");
}

void run(const Options& options) {
  const std::vector<std::string>& program = options.program;
  require_program("run", program);
  if (!options.chip.empty()) find_chip(options.chip);  // says before the program runs what is wrong
  if (options.timeout < 0) user_error("--timeout {}: it must be above 0", options.timeout);
  const std::string expectations = expect_variable(options.expect);
  if (options.dry_run && (!expectations.empty() || options.expect.wants_precision()))
    user_error("--dry-run computes nothing that --expect or --precision could look at");
  CheckReport checks(options.check, expectations.empty() ? "" : "expect");
  check_inspect_options(options.inspect);

  const RunReport report;
  const bool page = options.report.ends_with(".html") || options.report.ends_with(".htm");
  if (!page) check_output(options.report);
  check_output(options.expect.precision_json);
  check_output(options.self_profile_json);
  const ForeignOutput profile(options.profile, ".json"), trace(options.trace, ""),
      record(options.record, ".jsonl"), html(page ? options.report : "", ""),
      log(options.inspect.log, ".jsonl");
  if (!log.path().empty()) write_output(log.path(), "");  // devices append to it
  std::vector<std::pair<std::string, std::string>> variables = {
      {"TENSORLANE_CHIP", options.chip},
      {"TENSORLANE_IMPL", options.implementation},
      {"TENSORLANE_REPORT", report.path()},
      {"TENSORLANE_CHECK", checks.variable()},
      {"TENSORLANE_EXPECT", expectations},
      {"TENSORLANE_PRECISION", options.expect.wants_precision() ? "1" : ""},
      {"TENSORLANE_DMA", options.check.dma},
      {"TENSORLANE_RED_ZONES", options.red_zones},
      {"TENSORLANE_ADVICE", options.advice ? "1" : ""},
      {"TENSORLANE_TIME", options.time ? "1" : ""},
      {"TENSORLANE_LAUNCH_MODE", options.launch_mode},
      {"TENSORLANE_PROFILE", profile.path()},
      {"TENSORLANE_TRACE", trace.path()},
      {"TENSORLANE_PAGE", html.path()},
      {"TENSORLANE_RECORD", record.path()},
      {"TENSORLANE_SELF_PROFILE",
       options.self_profile || !options.self_profile_json.empty() ? "1" : ""},
      {"TENSORLANE_TIMEOUT", options.timeout > 0 ? fmt::format("{}", options.timeout) : ""},
      {"TENSORLANE_DRY_RUN", options.dry_run ? "1" : ""},
      {"TENSORLANE_KEEP_GOING", options.keep_going ? "1" : ""},
      {"TENSORLANE_STRICT", options.strict ? "1" : ""}};
  variables.emplace_back("TENSORLANE_LOG", log.path());
  std::ranges::copy(inspect_variables(options.inspect), std::back_inserter(variables));
  const ProcessResult result = run_emulated("run", program, variables);

  // First everything that people read: a file that cannot be written must not hide a finding.
  RunReport::Content content = report.read();
  std::fflush(stdout);
  if (!options.quiet)
    std::fputs(run_summary(result, content.lines, stderr_terminal()).c_str(), stderr);
  checks.add(content.lines);
  checks.print(options.quiet);
  std::fputs(observe::unmatched_choices(content.lines).c_str(), stderr);
  const bool compared = print_met_expectations(options.expect, content.lines);
  const auto attempt = [&](const auto& write) {
    try {
      write();
    } catch (const UserError& error) {
      content.problems.push_back(error.what());
    }
  };
  if (!page) attempt([&] { write_output(options.report, device_report(result, content.lines)); });
  attempt([&] { checks.add_to_pages(html.path()); });
  for (const ForeignOutput* output : {&profile, &trace, &record, &log})
    attempt([&] { output->print(); });
  attempt([&] {
    explain_difference({.verb = "run", .program = program, .environment = variables},
                       content.lines);
  });
  attempt([&] { print_precision(options.expect, content.lines); });
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
  auto options = std::make_shared<Options>();
  App* command =
      app.add_subcommand("run", "Run a program on the emulated device and say what the device did");
  command
      ->add_option("--chip", options->chip,
                   "Chip to emulate; without it that of the interface whose functions the program "
                   "calls")
      ->type_name("CHIP");
  add_implementation_option(*command, options->implementation);
  command->add_flag("--advice", options->advice,
                    "Print the preferred conditions that calls miss, once per source line");
  command->add_flag("--time", options->time,
                    "Print the modelled time of every launch and what it is made of");
  add_launch_mode_option(*command, options->launch_mode);
  command
      ->add_option("--profile", options->profile, "Write the modelled time per source line as JSON")
      ->type_name("FILE");
  command
      ->add_option("--trace", options->trace,
                   "Write the modelled timeline: .json for Chrome, anything else for Perfetto")
      ->type_name("FILE");
  command
      ->add_option(
          "--record", options->record,
          "Write the calls of the first launch as a recording, for 'estimate' and 'replay'; "
          "launch n goes to FILE with -n before the extension")
      ->type_name("FILE");
  command->add_flag("--self-profile", options->self_profile,
                    "Print where the emulator's own processor time went, per kernel: set-up, "
                    "limits, arithmetic, copies, checks");
  command
      ->add_option("--self-profile-json", options->self_profile_json,
                   "Write where the emulator's own processor time went to this JSON file")
      ->type_name("FILE");
  command->add_flag("--dry-run", options->dry_run,
                    "Same control flow, checks and modelled time, but no arithmetic and no data");
  command
      ->add_option(
          "--report", options->report,
          "Write what the devices did to this JSON file; FILE.html or FILE.htm: findings, the "
          "modelled timeline and the local-memory map as a page")
      ->type_name("FILE");
  add_check_options(*command, options->check);
  add_red_zones_option(*command, options->red_zones);
  add_inspect_options(*command, options->inspect);
  add_expect_options(*command, options->expect);
  command->add_flag("--keep-going", options->keep_going,
                    "Compute calls that break a limit of range, where they have a meaning all the "
                    "same; the error is reported as ever");
  command->add_flag("--strict", options->strict,
                    "Refuse what the newer of the chip's models refuses");
  command
      ->add_option("--timeout", options->timeout,
                   "How long each launch may run; one that runs longer is a finding and ends")
      ->type_name("SECONDS");
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
