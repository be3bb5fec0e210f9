// The options of `tensorlane run` that look inside: at commands, operands and bytes.
#ifndef TENSORLANE_TOOLS_INSPECT_OPTIONS_H_
#define TENSORLANE_TOOLS_INSPECT_OPTIONS_H_

#include <string>

#include "run_settings.h"

namespace tensorlane::cli {

// Looks at the form of --print, --dump and --watch before the program starts. Throws UserError.
void check_inspect_options(const RunSettings& settings);

// The value of TENSORLANE_DUMP: the program may change its folder.
std::string dump_variable(const RunSettings& settings);

}  // namespace tensorlane::cli

#endif  // TENSORLANE_TOOLS_INSPECT_OPTIONS_H_
