// Reads command logs (record.h).
#ifndef TENSORLANE_COMMAND_LOG_LOG_READER_H_
#define TENSORLANE_COMMAND_LOG_LOG_READER_H_

#include <string_view>

#include "tensorlane/command_log/record.h"

namespace tensorlane::command_log {

// `where` names the text in errors. Throws UserError with the line number for a line that is no
// line of a log, a version that this program does not know, a command of a launch that did not
// begin. The order of the lines of several devices does not matter.
Log read_log(std::string_view text, std::string_view where);

}  // namespace tensorlane::command_log

#endif  // TENSORLANE_COMMAND_LOG_LOG_READER_H_
