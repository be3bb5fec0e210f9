// The options of `tensorlane run` that concern the checker, and what it says at the end.
#ifndef TENSORLANE_TOOLS_CHECK_OPTIONS_H_
#define TENSORLANE_TOOLS_CHECK_OPTIONS_H_

#include <string>
#include <string_view>
#include <vector>

#include "app.h"
#include "json_option.h"
#include "run_settings.h"
#include "tensorlane/json/json.h"
#include "tensorlane/observe/check/report.h"

namespace tensorlane::cli {

struct CheckOptions {
  JsonOption json;
  std::string sarif, suppressions;
  bool all = false;  // print what follows from other findings, too
  int error_exitcode = 3;
};
void add_check_options(App& command, RunSettings& settings, CheckOptions& options);

// What the checks found in one run.
class CheckReport {
 public:
  // Reads the suppressions and looks at the names, before the program starts. Throws UserError.
  // `checks`: what --check says; "none" switches the checker off. `needed`: a check that runs
  // whatever that says, because another option asks for what it finds; may be empty.
  CheckReport(const CheckOptions& options, const std::string& checks, std::string_view needed);

  // The value of TENSORLANE_CHECK; empty when nothing is checked.
  const std::string& variable() const { return variable_; }

  // The findings in the lines of a run's report.
  void add(const std::vector<Json>& lines);
  // Prints them to stderr, on GitHub also as annotations to stdout. Nothing when nothing was found;
  // advice only with the lint check and without `quiet`.
  void print(bool quiet) const;
  // The files asked for. Throw UserError when they cannot be written.
  void write_json() const;
  void write_sarif(const check::Invocation& invocation) const;
  // Puts the findings, and what the results of the run rest on, on the pages that the devices
  // wrote: FILE.html, FILE.2.html, ... Throws UserError.
  void add_to_pages(const std::string& path, const Json& evidence) const;
  bool has_errors() const { return report_.count(check::Severity::kError) > 0; }

 private:
  const CheckOptions& options_;
  std::string variable_;
  bool advice_ = false;
  bool checked_ = false;  // a device was there to be checked
  check::Report report_;
};

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_CHECK_OPTIONS_H_
