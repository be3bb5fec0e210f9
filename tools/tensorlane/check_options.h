// The options of `tensorlane run` that concern the checker, and what it says at the end.
#ifndef TENSORLANE_TOOLS_CHECK_OPTIONS_H_
#define TENSORLANE_TOOLS_CHECK_OPTIONS_H_

#include <string>
#include <vector>

#include "app.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {

struct CheckOptions {
  std::string checks = "all";  // "none" switches the checker off
  std::string json, sarif, suppressions;
  std::string dma = "issue";
  int error_exitcode = 3;
};
void add_check_options(App& command, CheckOptions& options);

// The value of TENSORLANE_CHECK. UserError for unknown names, before the program starts.
std::string check_variable(const CheckOptions& options);

// Prints the findings in the report's lines to stderr (on GitHub also as annotations, to stdout)
// and writes the files asked for. The exit status: `status`, or --error-exitcode where the program
// itself succeeded and there are errors. Nothing is printed
// when nothing was found; advice only with the lint check and without `quiet`.
int report_checks(const CheckOptions& options, const std::vector<Json>& lines, int status,
                  bool quiet);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_CHECK_OPTIONS_H_
