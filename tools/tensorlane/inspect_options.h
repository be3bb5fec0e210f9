// The options of `tensorlane run` that look inside: at commands, operands and bytes.
#ifndef TENSORLANE_TOOLS_INSPECT_OPTIONS_H_
#define TENSORLANE_TOOLS_INSPECT_OPTIONS_H_

#include <string>
#include <utility>
#include <vector>

#include "app.h"
#include "tensorlane/json/json.h"

namespace tensorlane::cli {

struct InspectOptions {
  std::vector<std::string> print, dump, watch;
  bool watch_break = false;
  std::string log;
};
void add_inspect_options(App& command, InspectOptions& options);

// Looks at their form before the program starts. Throws UserError.
void check_inspect_options(const InspectOptions& options);

// The environment variables that stand for them, but for the log.
std::vector<std::pair<std::string, std::string>> inspect_variables(const InspectOptions& options);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_INSPECT_OPTIONS_H_
